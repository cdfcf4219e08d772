-- The schema `manyply` of a campaign database. `perft campaign init` applies it as the role manyply_owner. It is
-- version 3; versions 1 and 2 were never released.

-- One count, divided into ranges. Immutable except for its state.
CREATE TABLE campaign (
  id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text NOT NULL UNIQUE,
  fen        text NOT NULL,
  depth      smallint NOT NULL,
  split_ply  smallint NOT NULL,
  units      bigint NOT NULL CHECK (units > 0),
  ranges     int NOT NULL CHECK (ranges > 0),
  identity   bytea NOT NULL CHECK (length(identity) = 16),
  root_moves text[] NOT NULL,  -- empty if the units do not know their root moves
  signature  bigint NOT NULL,
  version    text NOT NULL,
  verify     real NOT NULL CHECK (verify BETWEEN 0 AND 1),
  -- How the worker of a second count must differ: another worker, on another host, or with another kernel.
  verify_other text NOT NULL CHECK (verify_other IN ('worker', 'host', 'kernel')),
  lease      interval NOT NULL CHECK (lease > interval '0'),
  state      text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'stopped', 'disputed', 'done')),
  created    timestamptz NOT NULL DEFAULT now()
);

-- One process that counts. Seeds are unique, so two workers never share their keys and false matches.
CREATE TABLE worker (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign      int NOT NULL REFERENCES campaign ON DELETE CASCADE,
  host          text NOT NULL,
  label         text NOT NULL,
  version       text NOT NULL,
  kernel        text NOT NULL,
  signature     bigint NOT NULL,
  key_seed      bytea NOT NULL UNIQUE CHECK (length(key_seed) = 8),
  key_bits      int NOT NULL,
  process       bytea NOT NULL CHECK (length(process) = 8),  -- random; identifies a worker that registers again
  threads       int NOT NULL,
  hash_bytes    bigint NOT NULL,
  refused       text,              -- why it gets no ranges; null if it may count
  false_matches double precision,  -- expected number for all its counts; null until it ends
  claimed_pass  smallint,          -- the range that it claimed last
  claimed       int,
  started       timestamptz NOT NULL DEFAULT now(),
  seen          timestamptz NOT NULL DEFAULT now(),
  ended         timestamptz
);
CREATE INDEX worker_of ON worker (campaign);

-- Consecutive units, numbered in the order of the split. Pass 1 of a range waits until its pass 0 is done, and must be
-- counted by another worker.
CREATE TABLE range (
  campaign     int NOT NULL REFERENCES campaign ON DELETE CASCADE,
  pass         smallint NOT NULL CHECK (pass IN (0, 1)),
  no           int NOT NULL,
  first_unit   bigint NOT NULL,
  units        int NOT NULL CHECK (units > 0),
  batches      smallint NOT NULL CHECK (batches BETWEEN 1 AND 30),
  weight       real NOT NULL,
  state        text NOT NULL CHECK (state IN ('waiting', 'open', 'leased', 'done')),
  worker       bigint REFERENCES worker,
  epoch        int NOT NULL DEFAULT 0,
  lease_until  timestamptz,
  batches_done smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign, pass, no),
  CHECK ((state = 'leased') = (lease_until IS NOT NULL)),
  CHECK ((state = 'leased') = (worker IS NOT NULL)),
  CHECK ((state = 'done') = (batches_done = batches))
) WITH (fillfactor = 70);
CREATE INDEX range_open ON range (campaign, pass, no) WHERE state = 'open';
-- Finds where a run of open ranges ends, without visiting each of up to 100,000 ranges.
CREATE INDEX range_taken ON range (campaign, pass, no) WHERE state <> 'open';
CREATE INDEX range_leased ON range (campaign, lease_until) WHERE state = 'leased';
CREATE INDEX range_held ON range (worker) WHERE state = 'leased';

-- Counts of consecutive units. Rows never change; withdraw() moves distrusted ones to `withdrawn`.
CREATE TABLE batch (
  campaign  int NOT NULL,
  pass      smallint NOT NULL,
  range     int NOT NULL,
  no        smallint NOT NULL,
  worker    bigint NOT NULL REFERENCES worker,
  counts    bytea NOT NULL,             -- in unit order, little-endian, all as wide as the largest
  digest    bytea NOT NULL CHECK (length(digest) = 16),
  sums      numeric(39, 0)[] NOT NULL,  -- paths x count, per root move, or one total if units know none
  visited   bigint NOT NULL,
  seconds   real NOT NULL,
  committed timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (campaign, pass, range, no),
  FOREIGN KEY (campaign, pass, range) REFERENCES range ON DELETE CASCADE
);
ALTER TABLE batch ALTER counts SET STORAGE EXTERNAL;
CREATE INDEX batch_committed ON batch (campaign, committed);
CREATE INDEX batch_worker ON batch (worker);

-- Distrusted batches, unchanged. Their ranges are counted again.
CREATE TABLE withdrawn (
  LIKE batch INCLUDING STORAGE,
  reason text NOT NULL,
  since  timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (campaign) REFERENCES campaign ON DELETE CASCADE,
  FOREIGN KEY (worker) REFERENCES worker
);
CREATE INDEX withdrawn_of ON withdrawn (campaign);

-- Two counts of one unit that differ. Unit -1: the counts agree, but their sums or digests differ.
CREATE TABLE dispute (
  campaign int NOT NULL REFERENCES campaign ON DELETE CASCADE,
  range    int NOT NULL,
  batch    smallint NOT NULL,
  unit     bigint NOT NULL,
  count0   bytea,
  count1   bytea,
  worker0  bigint NOT NULL REFERENCES worker,
  worker1  bigint NOT NULL REFERENCES worker,
  found    timestamptz NOT NULL DEFAULT now(),
  settled  timestamptz,  -- when the counts of one worker were set aside
  PRIMARY KEY (campaign, range, batch, unit, worker0, worker1)
);

-- The functions. Workers may call describe, register, claim, commit_batch, renew and hand_back, and nothing else. Each
-- call is one transaction and one round trip. Helper functions run with the rights and the search path of their caller,
-- because the planner can inline only such functions.

-- Returns the campaign with this name. Raises an exception if it does not exist.
CREATE FUNCTION describe(a_name text,
    OUT campaign_id int, OUT campaign_fen text, OUT campaign_depth smallint, OUT campaign_split_ply smallint,
    OUT campaign_units bigint, OUT campaign_ranges int, OUT campaign_identity bytea, OUT campaign_signature bigint,
    OUT campaign_version text, OUT campaign_state text, OUT lease_seconds double precision, OUT moves int)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
BEGIN
  SELECT c.id, c.fen, c.depth, c.split_ply, c.units, c.ranges, c.identity, c.signature, c.version, c.state,
         extract(epoch FROM c.lease), cardinality(c.root_moves)
    INTO campaign_id, campaign_fen, campaign_depth, campaign_split_ply, campaign_units, campaign_ranges,
         campaign_identity, campaign_signature, campaign_version, campaign_state, lease_seconds, moves
    FROM campaign c WHERE c.name = a_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no campaign named ''%''', a_name;
  END IF;
END $$;

-- Registers a worker. Returns its id and, if it is refused, the reason. Refused workers are stored, too.
CREATE FUNCTION register(a_campaign bigint, a_host text, a_label text, a_version text, a_kernel text,
    a_signature bigint, a_identity bytea, a_key_seed bytea, a_key_bits bigint, a_process bytea, a_threads bigint,
    a_hash_bytes bigint, OUT worker_id bigint, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
DECLARE
  v_campaign campaign;
BEGIN
  SELECT c.* INTO v_campaign FROM campaign c WHERE c.id = a_campaign;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no campaign %', a_campaign;
  END IF;
  -- The worker registers again because it did not receive the first answer.
  SELECT w.id, w.refused INTO worker_id, refusal FROM worker w
    WHERE w.campaign = a_campaign AND w.key_seed = a_key_seed AND w.process = a_process;
  IF FOUND THEN
    RETURN;
  END IF;
  refusal := CASE
    WHEN a_version <> v_campaign.version THEN
      format('this is version %s; the campaign is counted by version %s', a_version, v_campaign.version)
    WHEN a_signature <> v_campaign.signature THEN
      format('signature %s: every correct build has %s (kernel %s)', a_signature, v_campaign.signature, a_kernel)
    WHEN a_identity <> v_campaign.identity THEN
      'the position is split in another way here than where the campaign was made'
    END;
  INSERT INTO worker (campaign, host, label, version, kernel, signature, key_seed, key_bits, process, threads,
                      hash_bytes, refused, ended)
    VALUES (a_campaign, a_host, a_label, a_version, a_kernel, a_signature, a_key_seed, a_key_bits, a_process,
            a_threads, a_hash_bytes, refusal, CASE WHEN refusal IS NOT NULL THEN now() END)
    RETURNING id INTO worker_id;
END $$;

-- Opens ranges whose leases have expired. Skips rows that another transaction is changing.
CREATE FUNCTION open_lapsed(a_campaign bigint) RETURNS void
LANGUAGE sql AS $$
  UPDATE range r SET state = 'open', worker = NULL, lease_until = NULL
    FROM (SELECT s.pass, s.no FROM range s
           WHERE s.campaign = a_campaign AND s.state = 'leased' AND s.lease_until < now()
           FOR UPDATE SKIP LOCKED) lapsed
    WHERE r.campaign = a_campaign AND r.pass = lapsed.pass AND r.no = lapsed.no
$$;

-- Returns whether this worker may count that range. It must not if the other pass of the range was counted, or is
-- leased, by itself or by a worker that is too similar (verify_other). Pass 0 is open to all workers as long as nothing
-- has been withdrawn, because it is counted before pass 1.
CREATE FUNCTION may_count(a_worker bigint, a_campaign bigint, a_pass bigint, a_range bigint)
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (a_pass = 0 AND NOT EXISTS (SELECT FROM manyply.withdrawn g WHERE g.campaign = a_campaign))
    OR NOT EXISTS (
      SELECT FROM (
          SELECT b.worker FROM manyply.batch b
            WHERE b.campaign = a_campaign AND b.pass = 1 - a_pass AND b.range = a_range
          UNION ALL
          SELECT r.worker FROM manyply.range r
            WHERE r.campaign = a_campaign AND r.pass = 1 - a_pass AND r.no = a_range AND r.state = 'leased') held
        JOIN manyply.worker other ON other.id = held.worker
        JOIN manyply.worker self ON self.id = a_worker
        JOIN manyply.campaign c ON c.id = a_campaign
      WHERE other.id = self.id OR (c.verify_other = 'host' AND other.host = self.host)
        OR (c.verify_other = 'kernel' AND other.kernel = self.kernel))
$$;

-- Returns the workers whose counts this worker must not verify: itself and those that are too similar (verify_other).
CREATE FUNCTION alike(a_worker bigint) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(other.id)
    FROM worker self JOIN campaign c ON c.id = self.campaign JOIN worker other ON other.campaign = self.campaign
    WHERE self.id = a_worker AND (other.id = self.id OR (c.verify_other = 'host' AND other.host = self.host)
      OR (c.verify_other = 'kernel' AND other.kernel = self.kernel))
$$;

-- Returns the runs of consecutive open ranges of pass 0. Pass 1 has gaps in its numbers and would need runs_for().
CREATE FUNCTION open_runs(a_campaign bigint) RETURNS TABLE (run_start int, run_length int)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_end int := 0;
BEGIN
  LOOP
    SELECT r.no INTO run_start FROM range r
      WHERE r.campaign = a_campaign AND r.pass = 0 AND r.no >= v_end AND r.state = 'open'
      ORDER BY r.no LIMIT 1;
    EXIT WHEN NOT FOUND;
    SELECT r.no INTO v_end FROM range r
      WHERE r.campaign = a_campaign AND r.pass = 0 AND r.no > run_start AND r.state <> 'open'
      ORDER BY r.no LIMIT 1;
    IF NOT FOUND THEN
      SELECT c.ranges INTO v_end FROM campaign c WHERE c.id = a_campaign;
    END IF;
    run_length := v_end - run_start;
    RETURN NEXT;
  END LOOP;
END $$;

-- Returns runs of open ranges that this worker may count, by the rule of may_count(). It visits every open range, so it
-- stops after the first run of c_enough.
CREATE FUNCTION runs_for(a_worker bigint, a_campaign bigint, a_pass bigint)
RETURNS TABLE (run_start int, run_length int)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  c_enough CONSTANT int := 256;  -- four hours if a range takes a minute
  v_alike bigint[] := alike(a_worker);
  v_no int;
BEGIN
  FOR v_no IN SELECT r.no FROM range r
      WHERE r.campaign = a_campaign AND r.pass = a_pass AND r.state = 'open'
        AND NOT EXISTS (SELECT FROM batch b WHERE b.campaign = a_campaign AND b.pass = 1 - a_pass
                          AND b.range = r.no AND b.worker = ANY (v_alike))
        AND NOT EXISTS (SELECT FROM range h WHERE h.campaign = a_campaign AND h.pass = 1 - a_pass
                          AND h.no = r.no AND h.state = 'leased' AND h.worker = ANY (v_alike))
      ORDER BY r.no LOOP
    IF v_no = run_start + run_length THEN
      run_length := run_length + 1;
    ELSE
      IF run_start IS NOT NULL THEN
        RETURN NEXT;
      END IF;
      run_start := v_no;
      run_length := 1;
    END IF;
    EXIT WHEN run_length = c_enough;
  END LOOP;
  IF run_start IS NOT NULL THEN
    RETURN NEXT;
  END IF;
END $$;

-- Returns where a worker should start: in the longest run of open ranges; at its beginning, or in its middle if the
-- range before it is leased, because that worker will continue into the run. Null if no range is open.
CREATE FUNCTION longest_gap(a_worker bigint, a_campaign bigint, a_pass bigint,
    OUT start int, OUT length bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF a_pass = 0 AND NOT EXISTS (SELECT FROM withdrawn g WHERE g.campaign = a_campaign) THEN
    SELECT o.run_start, o.run_length INTO start, length FROM open_runs(a_campaign) o
      ORDER BY o.run_length DESC, o.run_start LIMIT 1;
  ELSE
    SELECT o.run_start, o.run_length INTO start, length FROM runs_for(a_worker, a_campaign, a_pass) o
      ORDER BY o.run_length DESC, o.run_start LIMIT 1;
  END IF;
  IF EXISTS (SELECT FROM range r WHERE r.campaign = a_campaign AND r.pass = a_pass AND r.no = start - 1
             AND r.state = 'leased') THEN
    start := start + length / 2;
  END IF;
END $$;

-- Returns a range, locked, for a worker that cannot continue with a neighbour; null if none is open. The advisory lock
-- admits one worker at a time, since all would find the same gap.
CREATE FUNCTION begin_anew(a_worker bigint, a_campaign bigint, a_pass bigint, a_last bigint,
    OUT range_pass int, OUT range_no int)
LANGUAGE plpgsql AS $$
DECLARE
  c_run CONSTANT int := 16;  -- number of neighbours that are verified together
  v_verified record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('manyply.claim'), a_campaign::int);
  SELECT g.start, g.length INTO v_verified FROM longest_gap(a_worker, a_campaign, 1) g;
  IF v_verified.length IS NULL OR v_verified.length < c_run THEN
    range_pass := 0;
    SELECT r.no INTO range_no FROM range r
      WHERE r.campaign = a_campaign AND a_pass = 0 AND r.pass = 0 AND r.no = a_last + 1 AND r.state = 'open'
        AND may_count(a_worker, a_campaign, 0, r.no);
    IF NOT FOUND THEN
      SELECT g.start INTO range_no FROM longest_gap(a_worker, a_campaign, 0) g;
    END IF;
  END IF;
  IF range_no IS NULL THEN
    range_pass := 1;
    range_no := v_verified.start;
  END IF;
  IF range_no IS NULL THEN
    RETURN;
  END IF;
  -- A worker that continues with a neighbour does not take the advisory lock, so the range may be leased by now.
  SELECT r.no INTO range_no FROM range r
    WHERE r.campaign = a_campaign AND r.pass = range_pass AND r.no = range_no AND r.state = 'open'
    FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    SELECT r.pass, r.no INTO range_pass, range_no FROM range r
      WHERE r.campaign = a_campaign AND r.state = 'open' AND may_count(a_worker, a_campaign, r.pass, r.no)
      ORDER BY r.pass, r.no LIMIT 1 FOR UPDATE SKIP LOCKED;
  END IF;
END $$;

-- Leases a range: the neighbour of the worker's last one if possible, because they share table entries. `answer` is
-- 'range', 'wait' (no range is available), or the state of a campaign that is not running. A worker that did not
-- receive the previous answer gets the same range again; otherwise it would renew the lease of a range that it does not
-- know.
CREATE FUNCTION claim(a_worker bigint, a_campaign bigint, a_pass bigint, a_last bigint,
    OUT answer text, OUT range_pass smallint, OUT range_no int, OUT range_epoch int, OUT range_first bigint,
    OUT range_units int, OUT range_batches smallint, OUT batches_there int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
DECLARE
  c_run CONSTANT int := 16;  -- ranges between searches for ranges to verify; bad machines show early
  v_pass int;
  v_no int;
BEGIN
  UPDATE worker w SET seen = now()
    WHERE w.id = a_worker AND w.campaign = a_campaign AND w.refused IS NULL AND w.ended IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'worker % takes no part in this campaign', a_worker;
  END IF;
  SELECT c.state INTO answer FROM campaign c WHERE c.id = a_campaign;
  IF answer <> 'running' THEN
    RETURN;
  END IF;
  answer := 'wait';
  PERFORM open_lapsed(a_campaign);

  SELECT r.pass, r.no INTO v_pass, v_no FROM worker w JOIN range r
      ON r.campaign = w.campaign AND r.pass = w.claimed_pass AND r.no = w.claimed
    WHERE w.id = a_worker AND r.state = 'leased' AND r.worker = a_worker
      AND (w.claimed_pass, w.claimed) IS DISTINCT FROM (a_pass, a_last);
  IF v_no IS NULL AND a_last IS NOT NULL AND NOT (a_pass = 0 AND (a_last + 1) % c_run = 0) THEN
    SELECT r.pass, r.no INTO v_pass, v_no FROM range r
      WHERE r.campaign = a_campaign AND r.pass = a_pass AND r.no = a_last + 1 AND r.state = 'open'
        AND may_count(a_worker, a_campaign, a_pass, r.no)
      FOR UPDATE SKIP LOCKED;
  END IF;
  IF v_no IS NULL THEN
    SELECT n.range_pass, n.range_no INTO v_pass, v_no
      FROM begin_anew(a_worker, a_campaign, a_pass, a_last) n;
  END IF;
  IF v_no IS NULL THEN
    RETURN;
  END IF;

  UPDATE range r SET state = 'leased', worker = a_worker, epoch = r.epoch + 1,
      lease_until = now() + (SELECT c.lease FROM campaign c WHERE c.id = a_campaign)
    WHERE r.campaign = a_campaign AND r.pass = v_pass AND r.no = v_no
    RETURNING r.pass, r.no, r.epoch, r.first_unit, r.units, r.batches
    INTO range_pass, range_no, range_epoch, range_first, range_units, range_batches;
  UPDATE worker w SET claimed_pass = v_pass, claimed = v_no WHERE w.id = a_worker;
  SELECT coalesce(bit_or(1 << b.no), 0) INTO batches_there FROM batch b
    WHERE b.campaign = a_campaign AND b.pass = v_pass AND b.range = v_no;
  answer := 'range';
END $$;

-- Returns count number `a_place` of a batch with `a_units` units, as 16 bytes.
CREATE FUNCTION count_at(a_counts bytea, a_units bigint, a_place bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $$
  SELECT substr(a_counts, (width * a_place + 1)::int, width::int)
      || substr('\x00000000000000000000000000000000'::bytea, 1, 16 - width::int)
    FROM (SELECT length(a_counts) / a_units AS width) each
$$;

-- Stores a batch. Accepts it without a lease and at any time, because a count stays correct. Compares it with the same
-- batch in both passes, if stored; a difference is a dispute. `answer` is 'go on', 'lost' (the lease has passed to
-- another worker), or the state of a campaign that is not running. All counts have the same number of bytes, that of
-- the largest.
CREATE FUNCTION commit_batch(a_worker bigint, a_campaign bigint, a_pass bigint, a_range bigint, a_batch bigint,
    a_epoch bigint, a_counts bytea, a_digest bytea, a_sums numeric[], a_visited bigint, a_seconds double precision,
    OUT answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
DECLARE
  v_range range;
  v_other batch;
  v_begin bigint;
  v_units bigint;
  v_width bigint;
  v_place bigint;
  v_new int;
  v_held boolean;
BEGIN
  UPDATE worker w SET seen = now() WHERE w.id = a_worker AND w.campaign = a_campaign AND w.refused IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'worker % takes no part in this campaign', a_worker;
  END IF;
  -- Lock both passes, in this order: otherwise two workers that commit the same batch at once would not see each
  -- other's counts.
  PERFORM FROM range r WHERE r.campaign = a_campaign AND r.no = a_range ORDER BY r.pass FOR UPDATE;
  SELECT r.* INTO v_range FROM range r
    WHERE r.campaign = a_campaign AND r.pass = a_pass AND r.no = a_range;
  IF NOT FOUND OR v_range.state = 'waiting' OR a_batch NOT BETWEEN 0 AND v_range.batches - 1 THEN
    RAISE EXCEPTION 'there is no batch % of range %, pass %, to be counted', a_batch, a_range, a_pass;
  END IF;
  IF NOT may_count(a_worker, a_campaign, a_pass, a_range) THEN
    RAISE EXCEPTION 'worker % must not verify what it has counted itself: range %', a_worker, a_range;
  END IF;
  v_begin := v_range.units::bigint * a_batch / v_range.batches;
  v_units := v_range.units::bigint * (a_batch + 1) / v_range.batches - v_begin;
  v_width := length(a_counts) / v_units;
  IF v_width NOT BETWEEN 1 AND 16 OR length(a_counts) <> v_width * v_units
      OR array_position(a_sums, NULL) IS NOT NULL OR cardinality(a_sums) <>
      (SELECT greatest(1, cardinality(c.root_moves)) FROM campaign c WHERE c.id = a_campaign) THEN
    RAISE EXCEPTION 'batch % of range % has another size', a_batch, a_range;
  END IF;

  INSERT INTO batch (campaign, pass, range, no, worker, counts, digest, sums, visited, seconds)
    VALUES (a_campaign, a_pass, a_range, a_batch, a_worker, a_counts, a_digest, a_sums, a_visited, a_seconds)
    ON CONFLICT ON CONSTRAINT batch_pkey DO NOTHING;
  GET DIAGNOSTICS v_new = ROW_COUNT;
  FOR v_other IN SELECT b.* FROM batch b
      WHERE b.campaign = a_campaign AND b.range = a_range AND b.no = a_batch
        AND (b.counts <> a_counts OR b.sums <> a_sums OR b.digest <> a_digest) LOOP
    SELECT min(i) INTO v_place FROM generate_series(0, v_units - 1) i
      WHERE count_at(a_counts, v_units, i) <> count_at(v_other.counts, v_units, i);
    INSERT INTO dispute (campaign, range, batch, unit, count0, count1, worker0, worker1)
      VALUES (a_campaign, a_range, a_batch, coalesce(v_range.first_unit + v_begin + v_place, -1),
              count_at(v_other.counts, v_units, v_place), count_at(a_counts, v_units, v_place),
              v_other.worker, a_worker)
      ON CONFLICT DO NOTHING;
    UPDATE campaign c SET state = 'disputed' WHERE c.id = a_campaign;
  END LOOP;

  v_held := v_range.state = 'leased' AND v_range.worker = a_worker AND v_range.epoch = a_epoch;
  IF v_new = 1 AND v_range.batches_done + 1 = v_range.batches THEN
    UPDATE range r SET batches_done = r.batches, state = 'done', worker = NULL, lease_until = NULL
      WHERE r.campaign = a_campaign AND r.pass = a_pass AND r.no = a_range;
    UPDATE range r SET state = 'open'
      WHERE r.campaign = a_campaign AND a_pass = 0 AND r.pass = 1 AND r.no = a_range AND r.state = 'waiting';
    -- The last two ranges may end at the same moment. The lock makes the second transaction see that the first is done.
    PERFORM FROM campaign c WHERE c.id = a_campaign FOR UPDATE;
    UPDATE campaign c SET state = 'done' WHERE c.id = a_campaign AND c.state IN ('running', 'stopped')
      AND NOT EXISTS (SELECT FROM range r WHERE r.campaign = a_campaign AND r.state <> 'done');
  ELSE
    UPDATE range r SET batches_done = r.batches_done + v_new,
        lease_until = CASE WHEN v_held THEN now() + c.lease ELSE r.lease_until END
      FROM campaign c
      WHERE c.id = a_campaign AND r.campaign = a_campaign AND r.pass = a_pass AND r.no = a_range;
  END IF;
  SELECT CASE WHEN c.state <> 'running' THEN c.state WHEN v_held THEN 'go on' ELSE 'lost' END
    INTO answer FROM campaign c WHERE c.id = a_campaign;
END $$;

-- Renews all leases of a worker. Returns the campaign's state; null if the worker does not exist.
CREATE FUNCTION renew(a_worker bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
DECLARE
  v_campaign campaign;
BEGIN
  UPDATE worker w SET seen = now() WHERE w.id = a_worker AND w.refused IS NULL AND w.ended IS NULL;
  SELECT c.* INTO v_campaign FROM campaign c, worker w WHERE w.id = a_worker AND c.id = w.campaign;
  UPDATE range r SET lease_until = now() + v_campaign.lease WHERE r.worker = a_worker AND r.state = 'leased';
  RETURN v_campaign.state;
END $$;

-- Ends a worker. Its ranges are opened again; its batches stay.
CREATE FUNCTION hand_back(a_worker bigint, a_false_matches double precision) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
BEGIN
  UPDATE range r SET state = 'open', worker = NULL, lease_until = NULL
    WHERE r.worker = a_worker AND r.state = 'leased';
  UPDATE worker w SET seen = now(), ended = now(), false_matches = a_false_matches
    WHERE w.id = a_worker AND w.ended IS NULL;
END $$;

-- For the owner: sets batches aside, so that they are counted again, and settles their disputes. With a worker, these
-- are all its batches, and it gets no more ranges; else one batch. Returns the number of batches.
CREATE FUNCTION withdraw(a_campaign bigint, a_worker bigint, a_pass bigint, a_range bigint, a_batch bigint,
    a_reason text, OUT batches bigint)
LANGUAGE plpgsql SET search_path = manyply, pg_temp AS $$
BEGIN
  -- Locks in the order of commit_batch: the worker, ranges, the campaign.
  IF a_worker IS NOT NULL THEN
    UPDATE worker w SET refused = a_reason, ended = coalesce(w.ended, now())
      WHERE w.id = a_worker AND w.campaign = a_campaign;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'worker % takes no part in this campaign', a_worker;
    END IF;
  END IF;
  PERFORM FROM range r WHERE r.campaign = a_campaign
      AND (r.no = a_range OR r.worker = a_worker
           OR r.no IN (SELECT b.range FROM batch b WHERE b.campaign = a_campaign AND b.worker = a_worker))
    ORDER BY r.no, r.pass FOR UPDATE;
  WITH gone AS (
    DELETE FROM batch b WHERE b.campaign = a_campaign
      AND (b.worker = a_worker OR (b.pass = a_pass AND b.range = a_range AND b.no = a_batch)) RETURNING b.*),
  kept AS (INSERT INTO withdrawn SELECT gone.*, a_reason FROM gone),
  reopened AS (
    -- The worker that holds the range believes that these batches are stored, so it loses the lease.
    UPDATE range r SET batches_done = r.batches_done - g.batches, state = 'open', worker = NULL, lease_until = NULL
      FROM (SELECT gone.pass, gone.range, count(*) AS batches FROM gone GROUP BY gone.pass, gone.range) g
      WHERE r.campaign = a_campaign AND r.pass = g.pass AND r.no = g.range)
  SELECT count(*) INTO batches FROM gone;
  UPDATE range r SET state = 'open', worker = NULL, lease_until = NULL
    WHERE r.campaign = a_campaign AND r.worker = a_worker AND r.state = 'leased';
  UPDATE dispute d SET settled = now() WHERE d.campaign = a_campaign AND d.settled IS NULL
    AND (a_worker IN (d.worker0, d.worker1) OR (d.range = a_range AND d.batch = a_batch));
  PERFORM FROM campaign c WHERE c.id = a_campaign FOR UPDATE;
  UPDATE campaign c SET state =
      CASE WHEN EXISTS (SELECT FROM range r WHERE r.campaign = a_campaign AND r.state <> 'done')
           THEN 'running' ELSE 'done' END
    WHERE c.id = a_campaign AND c.state IN ('disputed', 'done')
      AND NOT EXISTS (SELECT FROM dispute d WHERE d.campaign = a_campaign AND d.settled IS NULL);
END $$;

-- Permissions. PostgreSQL lets everybody execute new functions, so revoke that first.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA manyply FROM PUBLIC;
GRANT USAGE ON SCHEMA manyply TO manyply_worker, manyply_reader;
GRANT EXECUTE ON FUNCTION describe, register, claim, commit_batch, renew, hand_back TO manyply_worker;
GRANT EXECUTE ON FUNCTION describe, may_count TO manyply_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA manyply TO manyply_reader;
