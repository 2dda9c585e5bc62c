-- What machines share besides DBOS's own tables. Events are the lines of a run's journal, as its file has them.
CREATE SCHEMA IF NOT EXISTS signoff;
CREATE TABLE IF NOT EXISTS signoff.version (version int NOT NULL);
CREATE TABLE IF NOT EXISTS signoff.runs (
    id text PRIMARY KEY,
    project text NOT NULL,
    plan text NOT NULL,
    title text NOT NULL,
    by_name text NOT NULL,
    priority int NOT NULL,
    -- What the person who began it signed: the first lines of its journal.
    submission text NOT NULL,
    -- Counted up by every process that drives it: an older one can write no more.
    epoch bigint NOT NULL DEFAULT 0,
    driver text,
    state text NOT NULL DEFAULT 'queued',
    trouble text,
    activations int NOT NULL DEFAULT 0,
    head_seq bigint NOT NULL DEFAULT 0,
    head_hash text NOT NULL DEFAULT '',
    -- Who signed the head; nobody, as long as only the submission counts.
    head_key text,
    head_signature text,
    created timestamptz NOT NULL DEFAULT now(),
    updated timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS signoff.events (
    run text NOT NULL REFERENCES signoff.runs ON DELETE CASCADE,
    seq bigint NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (run, seq)
);
CREATE TABLE IF NOT EXISTS signoff.files (
    run text NOT NULL REFERENCES signoff.runs ON DELETE CASCADE,
    path text NOT NULL,
    bytes bytea NOT NULL,
    number bigserial NOT NULL,
    PRIMARY KEY (run, path)
);
CREATE TABLE IF NOT EXISTS signoff.orders (
    id text PRIMARY KEY,
    run text NOT NULL REFERENCES signoff.runs ON DELETE CASCADE,
    role text NOT NULL,
    body text NOT NULL,
    key text NOT NULL,
    signature text NOT NULL,
    withdrawn boolean NOT NULL DEFAULT false,
    -- Counted up by every machine that takes it: only the newest may report.
    claim int NOT NULL DEFAULT 0,
    executor text,
    -- How often it was given again after it was withdrawn, or after a report that nobody believes.
    given int NOT NULL DEFAULT 0,
    -- The claim under which a call began that must not be made twice.
    called int,
    report text,
    report_key text,
    report_signature text,
    created timestamptz NOT NULL DEFAULT now(),
    claimed timestamptz,
    reported timestamptz
);
ALTER TABLE signoff.orders ADD COLUMN IF NOT EXISTS given int NOT NULL DEFAULT 0;
ALTER TABLE signoff.orders ADD COLUMN IF NOT EXISTS called int;
CREATE INDEX IF NOT EXISTS orders_open ON signoff.orders (run) WHERE report IS NULL AND NOT withdrawn;
CREATE TABLE IF NOT EXISTS signoff.requests (
    run text NOT NULL REFERENCES signoff.runs ON DELETE CASCADE,
    name text NOT NULL,
    body text NOT NULL,
    proof text NOT NULL,
    reply text,
    created timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run, name)
);
CREATE TABLE IF NOT EXISTS signoff.machines (
    executor text PRIMARY KEY,
    name text NOT NULL,
    key text NOT NULL,
    roles text[] NOT NULL,
    orchestrates boolean NOT NULL,
    jobs int NOT NULL,
    protocol int NOT NULL,
    draining boolean NOT NULL DEFAULT false,
    started timestamptz NOT NULL DEFAULT now(),
    clock_ms bigint NOT NULL,
    -- When it was first seen without its lock.
    missed timestamptz
);
-- A lock that steps of a project name: the run that has it, for as long as a process drives that, or will again.
CREATE TABLE IF NOT EXISTS signoff.locks (
    project text NOT NULL,
    name text NOT NULL,
    run text NOT NULL REFERENCES signoff.runs ON DELETE CASCADE,
    PRIMARY KEY (project, name)
);
-- What each run has cost on a day, in millionths of a dollar. It stays when the run is deleted.
CREATE TABLE IF NOT EXISTS signoff.costs (
    day text NOT NULL,
    run text NOT NULL,
    usd_e6 bigint NOT NULL,
    PRIMARY KEY (day, run)
);
