printf -- '---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# Tidy up\n\n## Steps\n\n### 1. Look\n\n**contract:**\n```shell\ngrep -q done\342\200\213 notes.txt\n```\n' > plan.md
