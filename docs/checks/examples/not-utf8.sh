printf -- '---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# Caf\351\n' > plan.md
