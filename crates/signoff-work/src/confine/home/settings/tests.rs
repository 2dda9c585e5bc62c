use super::*;

#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    let mut settings = SETTINGS.iter();
    let settings = settings.find(|one| one.path == path).unwrap();
    assert_eq!(settings.redact(text).as_deref(), Some(expected), "{text}");
}

#[test]
fn registries_stay_and_logins_go() {
    check(
        ".npmrc",
        "registry=https://me:pw@npm.example/\n//npm.example/:_authToken=abc\n@a:registry = https://a.example\n@a:_authToken=x\n_auth=abc\nfund=false\nkey=-----BEGIN\\\nabc\nemail=me\n",
        "registry=https://npm.example/\n@a:registry = https://a.example\nfund=false\n",
    );
    check(
        ".config/pip/pip.conf",
        "[global]\nindex-url = https://me:pw@pypi.example/simple\nextra-index-url =\n    https://x@a.example\n    https://b.example\nusername = me\npassword = \n  abc\n",
        "[global]\nindex-url = https://pypi.example/simple\nextra-index-url =\n    https://a.example\n    https://b.example\n",
    );
    check(
        ".gradle/gradle.properties",
        "org.gradle.jvmargs=-Xmx2g\ngpr.key=abc\nsigning.password=x\\\n  y\nsystemProp.https.proxyHost=p\nsystemProp.https.proxyPassword=q\n",
        "org.gradle.jvmargs=-Xmx2g\nsystemProp.https.proxyHost=p\n",
    );
    check(
        ".gradle/gradle.properties",
        "org.gradle.jvmargs=-Xmx2g -Dx=abc -Dfile.encoding=UTF-8 \\\n  -DmyPassword=q -XX:+UseG1GC\norg.gradle.project.key=abc\nandroid.injected.signing.key=x\n",
        "org.gradle.jvmargs=-Xmx2g -Dfile.encoding=UTF-8 \\\n  -XX:+UseG1GC\n",
    );
    check(
        ".config/go/env",
        "GOPROXY=https://u:p@p.example,direct\nGOFLAGS=-mod=mod -ldflags=-X=main.key=abc\nGOAUTH=x\n",
        "GOPROXY=https://p.example,direct\nGOFLAGS=-mod=mod\n",
    );
    check(
        ".yarnrc.yml",
        "npmRegistryServer: \"https://u:p@npm.example\"\nnpmAuthToken: abc\nnpmScopes:\n  a:\n    npmAuthToken: abc\n",
        "npmRegistryServer: \"https://npm.example\"\n",
    );
}

#[test]
fn cargo_finds_its_sources_without_tokens() {
    check(
        ".cargo/config.toml",
        "registries = { a = { index = 'sparse+https://u:p@a.example/', token = 'abc' } }\n[env]\nX = 'abc'\n[source.crates-io]\nreplace-with = 'a'\n[registry]\ntoken = '''\nabc'''\n",
        "[registries.a]\nindex = \"sparse+https://a.example/\"\n\n[registry]\n\n[source.crates-io]\nreplace-with = \"a\"\n",
    );
    let cargo = &SETTINGS[0];
    assert_eq!(cargo.redact("token = "), None);
}

#[test]
fn maven_finds_its_mirrors_without_servers() {
    check(
        ".m2/settings.xml",
        "<?xml version='1.0'?>\n<settings xmlns=\"x\">\n<!-- <mirrors>old</mirrors> --><servers><server><password>abc</password></server></servers><mirrors><mirror><url>https://u:p@m.example/x</url></mirror></mirrors><proxies><proxy><host>p</host><username>me</username><password>\nabc</password></proxy></proxies></settings>",
        "<settings xmlns=\"x\">\n<mirrors><mirror><url>https://m.example/x</url></mirror></mirrors>\n<proxies><proxy><host>p</host></proxy></proxies>\n</settings>\n",
    );
}

#[test]
fn logins_of_all_kinds_of_addresses_go() {
    for (text, expected) in [
        ("https://u:p@h.example/a", "https://h.example/a"),
        ("proxy = u:p@h:80", "proxy = h:80"),
        ("proxy=u:p=@x@h:80", "proxy=h:80"),
        ("\"u:p@h:80\"", "\"h:80\""),
        ("https://h/a?token=x&key=y b", "https://h/a b"),
        ("https://h?token=x", "https://h"),
        ("https://h/a?token=x#egg=b", "https://h/a#egg=b"),
        ("https://h/?to=https://u:p@h", "https://h/"),
        ("https://u:p@h/https://u:p@i/", "https://h/https://i/"),
        (
            "https://u:p@a,https://q@b|direct",
            "https://a,https://b|direct",
        ),
        ("<url>https://h/?k=x</url>", "<url>https://h/</url>"),
        ("url = git@h.example:a.git", "url = git@h.example:a.git"),
        ("ssh://git@h.example/a", "ssh://h.example/a"),
        ("fetch = +refs/a:refs/b", "fetch = +refs/a:refs/b"),
        ("/usr/lib: a@b é@", "/usr/lib: a@b é@"),
    ] {
        assert_eq!(without_login(text), expected, "{text}");
    }
}

#[test]
fn proxies_of_tools_have_no_passwords() {
    check(
        ".config/pip/pip.conf",
        "[global]\nproxy = user:pw@p.example:8080\nfind-links = https://x.example/simple?token=abc\n",
        "[global]\nproxy = p.example:8080\nfind-links = https://x.example/simple\n",
    );
    check(
        ".cargo/config.toml",
        "[http]\nproxy = \"user:pw@p.example:8080\"\n[source.y]\nregistry = \"https://c.example/i?token=x\"\n",
        "[http]\nproxy = \"p.example:8080\"\n\n[source.y]\nregistry = \"https://c.example/i\"\n",
    );
}
