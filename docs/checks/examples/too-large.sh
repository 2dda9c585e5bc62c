{ printf -- '---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# Tidy up\n\n## Steps\n\n### 1. Look\n\n**contract:**\n```shell\n';
  seq 20000 | sed 's/.*/test -s &.txt/';
  printf '```\n'; } > plan.md
