//! Containers and clusters, as far as they are looked at.

use crate::shell::read_only::options::{Options, options};
use crate::shell::read_only::program::{Program, Rule, any, commands, programs, with};

pub(super) const PROGRAMS: &[Program] = &[
    programs(
        "docker",
        Rule::Commands(options("v", "", "").leading(), DOCKER),
    ),
    programs(
        "podman",
        Rule::Commands(
            options("v", "", "").leading(),
            &[any("ps images inspect logs version info port diff history")],
        ),
    ),
    programs(
        "docker-compose",
        Rule::Commands(COMPOSE.leading(), COMPOSE_COMMANDS),
    ),
    programs("kubectl oc", Rule::Commands(KUBECTL.leading(), CLUSTER)),
    programs(
        "helm",
        Rule::Commands(
            options("", "n", "namespace=").leading(),
            &[
                with("list ls status history version", HELM),
                commands(
                    "get",
                    &[with("all hooks manifest notes values metadata", HELM)],
                ),
            ],
        ),
    ),
];

const DOCKER: &[Program] = &[
    any("ps images inspect logs version info top port diff history stats events"),
    commands("image", &[any("ls list inspect history")]),
    commands(
        "container",
        &[any("ls list ps inspect logs top port diff stats")],
    ),
    commands("volume network", &[any("ls list inspect")]),
    commands("context", &[any("ls list show inspect")]),
    commands("system", &[any("df info")]),
    programs(
        "compose",
        Rule::Commands(COMPOSE.leading(), COMPOSE_COMMANDS),
    ),
];

const COMPOSE: Options = options("", "fp", "file= project-name= profile=");

const COMPOSE_COMMANDS: &[Program] = &[any("ps logs images ls top version port")];

/// Not `--kubeconfig`, which can name programs to run.
const KUBECTL: Options = options(
    "AwfpR",
    "nolcL",
    "context= namespace= selector= output= all-namespaces show-labels field-selector= sort-by= watch no-headers tail= since= \
     previous container= all-containers timestamps follow prefix containers client limit-bytes= ignore-not-found \
     label-columns= recursive show-kind max-log-requests= since-time= chunk-size= show-events api-group= namespaced verbs= \
     minify",
);

const CLUSTER: &[Program] = &[
    with(
        "get describe logs top version api-resources api-versions explain events",
        KUBECTL,
    ),
    with("cluster-info", KUBECTL.operands(0)),
    commands(
        "config",
        &[with(
            "view get-contexts current-context get-clusters get-users",
            KUBECTL,
        )],
    ),
    commands("auth", &[with("can-i whoami", KUBECTL)]),
    commands("rollout", &[with("status history", KUBECTL)]),
];

const HELM: Options = options(
    "aAqd",
    "nolf",
    "all all-namespaces namespace= output= selector= filter= short revision= max= date deployed failed",
);
