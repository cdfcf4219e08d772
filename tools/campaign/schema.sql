-- The tables of the schema `manyply` of a campaign database; counts.sql and leases.sql have its functions. `perft
-- campaign init` applies all three as the role manyply_owner. The schema is version 5; databases of earlier versions are
-- refused.

-- One count, in parts. Immutable except for its state.
CREATE TABLE campaign (
  id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text NOT NULL UNIQUE,
  fen        text NOT NULL,
  depth      smallint NOT NULL,
  parts      int NOT NULL CHECK (parts > 0),
  plan       bytea NOT NULL,   -- the part of each cell (PartCounter::plan); PostgreSQL compresses it
  identity   bytea NOT NULL CHECK (length(identity) = 16),  -- of position, depth and plan
  memory     bigint NOT NULL,  -- bytes of a process that counts the largest part
  signature  bigint NOT NULL,
  version    text NOT NULL,
  verify     real NOT NULL CHECK (verify BETWEEN 0 AND 1),
  -- How the worker of a second count must differ: another worker, on another host, or with another kernel.
  verify_other text NOT NULL CHECK (verify_other IN ('worker', 'host', 'kernel')),
  lease      interval NOT NULL CHECK (lease > interval '0'),
  state      text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'stopped', 'disputed', 'done')),
  created    timestamptz NOT NULL DEFAULT now()
);

-- One process that counts.
CREATE TABLE worker (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign  int NOT NULL REFERENCES campaign ON DELETE CASCADE,
  host      text NOT NULL,
  label     text NOT NULL,
  version   text NOT NULL,
  kernel    text NOT NULL,
  signature bigint NOT NULL,
  process   bytea NOT NULL CHECK (length(process) = 8),  -- random; identifies a worker that registers again
  threads   int NOT NULL,
  memory    bigint NOT NULL,  -- bytes that it may use
  refused   text,             -- why it gets no parts; null if it may count
  started   timestamptz NOT NULL DEFAULT now(),
  seen      timestamptz NOT NULL DEFAULT now(),
  ended     timestamptz,
  UNIQUE (campaign, process)
);

-- Parts to be counted. Pass 1 of a part waits until its pass 0 is done, and must be counted by another worker.
CREATE TABLE part (
  campaign    int NOT NULL REFERENCES campaign ON DELETE CASCADE,
  pass        smallint NOT NULL CHECK (pass IN (0, 1)),
  no          int NOT NULL,
  weight      real NOT NULL,  -- share of the count's work, estimated
  state       text NOT NULL CHECK (state IN ('waiting', 'open', 'leased', 'done')),
  worker      bigint REFERENCES worker,
  epoch       int NOT NULL DEFAULT 0,  -- number of leases of this part and pass so far
  lease_until timestamptz,
  PRIMARY KEY (campaign, pass, no),
  CHECK ((state = 'leased') = (lease_until IS NOT NULL)),
  CHECK ((state = 'leased') = (worker IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX part_held ON part (worker) WHERE state = 'leased';

-- Counts of parts. Rows never change. withdraw() moves distrusted counts to the table `withdrawn`.
CREATE TABLE result (
  campaign     int NOT NULL,
  pass         smallint NOT NULL,
  part         int NOT NULL,
  worker       bigint NOT NULL REFERENCES worker,
  nodes        numeric(39, 0) NOT NULL CHECK (nodes >= 0),
  rows         bigint NOT NULL,
  kernel_pairs bigint NOT NULL,
  lane_pairs   bigint NOT NULL,
  digest       bytea NOT NULL CHECK (length(digest) = 16),  -- digest of the count, the part, and the campaign's identity
  seconds      real NOT NULL,
  committed    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (campaign, pass, part),
  FOREIGN KEY (campaign, pass, part) REFERENCES part ON DELETE CASCADE
);
CREATE INDEX result_worker ON result (worker);

-- Distrusted results, unchanged. Their parts are counted again.
CREATE TABLE withdrawn (
  LIKE result,
  reason text NOT NULL,
  since  timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (campaign) REFERENCES campaign ON DELETE CASCADE,
  FOREIGN KEY (worker) REFERENCES worker
);
CREATE INDEX withdrawn_of ON withdrawn (campaign);

-- Two counts of one part that differ.
CREATE TABLE dispute (
  campaign int NOT NULL REFERENCES campaign ON DELETE CASCADE,
  part     int NOT NULL,
  nodes0   numeric(39, 0) NOT NULL,
  nodes1   numeric(39, 0) NOT NULL,
  worker0  bigint NOT NULL REFERENCES worker,
  worker1  bigint NOT NULL REFERENCES worker,
  found    timestamptz NOT NULL DEFAULT now(),
  settled  timestamptz,  -- when withdraw() settled it
  PRIMARY KEY (campaign, part, worker0, worker1)
);
