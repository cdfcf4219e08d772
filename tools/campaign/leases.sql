-- The functions of the schema `manyply`: workers register, lease parts, store counts and hand parts back. Runs directly
-- after schema.sql. Workers may call describe, plan_of, register, claim, commit_part, renew and hand_back, and nothing
-- else. Each call is one transaction and one round trip. Helper functions run with the rights and the search path of
-- their caller, because the planner can inline only such functions.

-- Returns the campaign with this name, without its plan. Raises an exception if it does not exist.
CREATE FUNCTION describe(a_name text,
    OUT campaign_id int, OUT campaign_fen text, OUT campaign_depth smallint, OUT campaign_parts int,
    OUT campaign_identity bytea, OUT campaign_memory bigint, OUT campaign_signature bigint, OUT campaign_version text,
    OUT campaign_state text, OUT lease_seconds double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
BEGIN
  SELECT c.id, c.fen, c.depth, c.parts, c.identity, c.memory, c.signature, c.version, c.state,
         extract(epoch FROM c.lease)
    INTO campaign_id, campaign_fen, campaign_depth, campaign_parts, campaign_identity, campaign_memory,
         campaign_signature, campaign_version, campaign_state, lease_seconds
    FROM campaign c WHERE c.name = a_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no campaign named ''%''', a_name;
  END IF;
END $$;

-- Returns the plan of a campaign; null if it does not exist.
CREATE FUNCTION plan_of(a_campaign bigint) RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
  SELECT c.plan FROM campaign c WHERE c.id = a_campaign
$$;

-- Registers a worker. Returns its id and, if it is refused, the reason. Refused workers are stored, too.
CREATE FUNCTION register(a_campaign bigint, a_host text, a_label text, a_version text, a_kernel text,
    a_signature bigint, a_identity bytea, a_process bytea, a_threads bigint, a_memory bigint,
    OUT worker_id bigint, OUT refusal text)
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
    WHERE w.campaign = a_campaign AND w.process = a_process;
  IF FOUND THEN
    RETURN;
  END IF;
  refusal := CASE
    WHEN a_version <> v_campaign.version THEN
      format('this is version %s; the campaign is counted by version %s', a_version, v_campaign.version)
    WHEN a_signature <> v_campaign.signature THEN
      format('signature %s: every correct build has %s (kernel %s)', a_signature, v_campaign.signature, a_kernel)
    WHEN a_identity <> v_campaign.identity THEN
      'the plan of the parts is read in another way here than where the campaign was made'
    WHEN a_memory < v_campaign.memory THEN
      format('it may use %s of memory; the largest part takes %s: allow more with --memory',
             pg_size_pretty(a_memory), pg_size_pretty(v_campaign.memory))
    END;
  INSERT INTO worker (campaign, host, label, version, kernel, signature, process, threads, memory, refused, ended)
    VALUES (a_campaign, a_host, a_label, a_version, a_kernel, a_signature, a_process, a_threads, a_memory, refusal,
            CASE WHEN refusal IS NOT NULL THEN now() END)
    RETURNING id INTO worker_id;
END $$;

-- Returns whether this worker may count this part. The answer is no if the other pass of the part was counted or is
-- leased by the same worker, or by a worker that is too similar (verify_other). Normally pass 0 is counted before pass
-- 1, so workers are excluded only from pass 1. After a withdrawal, pass 1 may be done while pass 0 is open; then
-- workers are excluded from pass 0.
CREATE FUNCTION may_count(a_worker bigint, a_campaign bigint, a_pass bigint, a_part bigint)
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (
      SELECT FROM (
          SELECT b.worker FROM manyply.result b
            WHERE b.campaign = a_campaign AND b.pass = 1 - a_pass AND b.part = a_part
          UNION ALL
          SELECT p.worker FROM manyply.part p
            WHERE p.campaign = a_campaign AND p.pass = 1 - a_pass AND p.no = a_part AND p.state = 'leased') held
        JOIN manyply.worker other ON other.id = held.worker
        JOIN manyply.worker self ON self.id = a_worker
        JOIN manyply.campaign c ON c.id = a_campaign
      WHERE other.id = self.id OR (c.verify_other = 'host' AND other.host = self.host)
        OR (c.verify_other = 'kernel' AND other.kernel = self.kernel))
$$;

-- Leases a part. Parts of pass 1 come first, so that bad machines are detected early; within a pass, the heaviest part
-- comes first. `answer` is 'part', 'wait' (no part is available), or the state of a campaign that is not running. A
-- worker counts one part at a time. If it already has a leased part, it did not receive the previous answer, so it gets
-- the same part again, with the same epoch.
CREATE FUNCTION claim(a_worker bigint, a_campaign bigint,
    OUT answer text, OUT part_pass smallint, OUT part_no int, OUT part_epoch int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
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
  -- Reopen parts whose leases have expired, except those that another transaction is changing.
  UPDATE part p SET state = 'open', worker = NULL, lease_until = NULL
    FROM (SELECT s.pass, s.no FROM part s
           WHERE s.campaign = a_campaign AND s.state = 'leased' AND s.lease_until < now()
           FOR UPDATE SKIP LOCKED) lapsed
    WHERE p.campaign = a_campaign AND p.pass = lapsed.pass AND p.no = lapsed.no;

  SELECT p.pass, p.no INTO part_pass, part_no FROM part p
    WHERE p.campaign = a_campaign AND p.worker = a_worker AND p.state = 'leased' LIMIT 1 FOR UPDATE;
  IF NOT FOUND THEN
    SELECT p.pass, p.no INTO part_pass, part_no FROM part p
      WHERE p.campaign = a_campaign AND p.state = 'open' AND may_count(a_worker, a_campaign, p.pass, p.no)
      ORDER BY p.pass DESC, p.weight DESC, p.no LIMIT 1 FOR UPDATE SKIP LOCKED;
  END IF;
  IF NOT FOUND THEN
    answer := 'wait';
    RETURN;
  END IF;
  UPDATE part p SET state = 'leased', worker = a_worker,
      epoch = p.epoch + CASE WHEN p.state = 'leased' THEN 0 ELSE 1 END,
      lease_until = now() + (SELECT c.lease FROM campaign c WHERE c.id = a_campaign)
    WHERE p.campaign = a_campaign AND p.pass = part_pass AND p.no = part_no
    RETURNING p.epoch INTO part_epoch;
  answer := 'part';
END $$;

-- Stores the count of a part. Accepts a count at any time, even if its lease has expired, because the count is still
-- correct. Compares it with all stored counts of this part; a difference is a dispute. `answer` is 'go on', 'lost' (the
-- worker no longer holds the lease), or the state of a campaign that is not running.
CREATE FUNCTION commit_part(a_worker bigint, a_campaign bigint, a_pass bigint, a_part bigint, a_epoch bigint,
    a_nodes numeric, a_rows bigint, a_kernel_pairs bigint, a_lane_pairs bigint, a_digest bytea,
    a_seconds double precision, OUT answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
DECLARE
  v_part part;
  v_other result;
  v_new int;
  v_held boolean;
BEGIN
  UPDATE worker w SET seen = now() WHERE w.id = a_worker AND w.campaign = a_campaign AND w.refused IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'worker % takes no part in this campaign', a_worker;
  END IF;
  -- Lock both passes, in this order: otherwise two workers that commit the same part at once would not see each
  -- other's counts.
  PERFORM FROM part p WHERE p.campaign = a_campaign AND p.no = a_part ORDER BY p.pass FOR UPDATE;
  SELECT p.* INTO v_part FROM part p WHERE p.campaign = a_campaign AND p.pass = a_pass AND p.no = a_part;
  IF NOT FOUND OR v_part.state = 'waiting' THEN
    RAISE EXCEPTION 'there is no part %, pass %, to be counted', a_part, a_pass;
  END IF;
  IF NOT may_count(a_worker, a_campaign, a_pass, a_part) THEN
    RAISE EXCEPTION 'worker % must not verify what it has counted itself: part %', a_worker, a_part;
  END IF;

  INSERT INTO result (campaign, pass, part, worker, nodes, rows, kernel_pairs, lane_pairs, digest, seconds)
    VALUES (a_campaign, a_pass, a_part, a_worker, a_nodes, a_rows, a_kernel_pairs, a_lane_pairs, a_digest, a_seconds)
    ON CONFLICT ON CONSTRAINT result_pkey DO NOTHING;
  GET DIAGNOSTICS v_new = ROW_COUNT;
  FOR v_other IN SELECT b.* FROM result b
      WHERE b.campaign = a_campaign AND b.part = a_part AND b.nodes <> a_nodes LOOP
    INSERT INTO dispute (campaign, part, nodes0, nodes1, worker0, worker1)
      VALUES (a_campaign, a_part, v_other.nodes, a_nodes, v_other.worker, a_worker)
      ON CONFLICT DO NOTHING;
    UPDATE campaign c SET state = 'disputed' WHERE c.id = a_campaign;
  END LOOP;

  v_held := v_part.state = 'leased' AND v_part.worker = a_worker AND v_part.epoch = a_epoch;
  IF v_new = 1 THEN
    UPDATE part p SET state = 'done', worker = NULL, lease_until = NULL
      WHERE p.campaign = a_campaign AND p.pass = a_pass AND p.no = a_part;
    UPDATE part p SET state = 'open'
      WHERE p.campaign = a_campaign AND a_pass = 0 AND p.pass = 1 AND p.no = a_part AND p.state = 'waiting';
    -- The last two parts may end at the same moment. The lock makes the second transaction see that the first is done.
    PERFORM FROM campaign c WHERE c.id = a_campaign FOR UPDATE;
    UPDATE campaign c SET state = 'done' WHERE c.id = a_campaign AND c.state IN ('running', 'stopped')
      AND NOT EXISTS (SELECT FROM part p WHERE p.campaign = a_campaign AND p.state <> 'done');
  END IF;
  SELECT CASE WHEN c.state <> 'running' THEN c.state WHEN v_held THEN 'go on' ELSE 'lost' END
    INTO answer FROM campaign c WHERE c.id = a_campaign;
END $$;

-- Renews the lease of a worker. Returns the campaign's state; null if the worker does not exist.
CREATE FUNCTION renew(a_worker bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
DECLARE
  v_campaign campaign;
BEGIN
  UPDATE worker w SET seen = now() WHERE w.id = a_worker AND w.refused IS NULL AND w.ended IS NULL;
  SELECT c.* INTO v_campaign FROM campaign c, worker w WHERE w.id = a_worker AND c.id = w.campaign;
  UPDATE part p SET lease_until = now() + v_campaign.lease WHERE p.worker = a_worker AND p.state = 'leased';
  RETURN v_campaign.state;
END $$;

-- Ends a worker. Its leased part becomes open again; its counts stay.
CREATE FUNCTION hand_back(a_worker bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = manyply, pg_temp AS $$
BEGIN
  UPDATE part p SET state = 'open', worker = NULL, lease_until = NULL
    WHERE p.worker = a_worker AND p.state = 'leased';
  UPDATE worker w SET seen = now(), ended = now() WHERE w.id = a_worker AND w.ended IS NULL;
END $$;

-- For the owner: withdraws counts, so that they are counted again, and settles their disputes. If a worker is given,
-- withdraws all its counts, and the worker gets no more parts; otherwise withdraws one count. Returns the number of
-- withdrawn counts.
CREATE FUNCTION withdraw(a_campaign bigint, a_worker bigint, a_pass bigint, a_part bigint, a_reason text,
    OUT counts bigint)
LANGUAGE plpgsql SET search_path = manyply, pg_temp AS $$
BEGIN
  -- Locks in the order of commit_part: the worker, parts, the campaign.
  IF a_worker IS NOT NULL THEN
    UPDATE worker w SET refused = a_reason, ended = coalesce(w.ended, now())
      WHERE w.id = a_worker AND w.campaign = a_campaign;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'worker % takes no part in this campaign', a_worker;
    END IF;
  END IF;
  PERFORM FROM part p WHERE p.campaign = a_campaign
      AND (p.no = a_part OR p.worker = a_worker
           OR p.no IN (SELECT b.part FROM result b WHERE b.campaign = a_campaign AND b.worker = a_worker))
    ORDER BY p.no, p.pass FOR UPDATE;
  WITH gone AS (
    DELETE FROM result b WHERE b.campaign = a_campaign
      AND (b.worker = a_worker OR (b.pass = a_pass AND b.part = a_part)) RETURNING b.*),
  kept AS (INSERT INTO withdrawn SELECT gone.*, a_reason FROM gone),
  reopened AS (
    UPDATE part p SET state = 'open', worker = NULL, lease_until = NULL
      FROM gone WHERE p.campaign = a_campaign AND p.pass = gone.pass AND p.no = gone.part)
  SELECT count(*) INTO counts FROM gone;
  UPDATE part p SET state = 'open', worker = NULL, lease_until = NULL
    WHERE p.campaign = a_campaign AND p.worker = a_worker AND p.state = 'leased';
  UPDATE dispute d SET settled = now() WHERE d.campaign = a_campaign AND d.settled IS NULL
    AND (a_worker IN (d.worker0, d.worker1) OR d.part = a_part);
  PERFORM FROM campaign c WHERE c.id = a_campaign FOR UPDATE;
  UPDATE campaign c SET state =
      CASE WHEN EXISTS (SELECT FROM part p WHERE p.campaign = a_campaign AND p.state <> 'done')
           THEN 'running' ELSE 'done' END
    WHERE c.id = a_campaign AND c.state IN ('disputed', 'done')
      AND NOT EXISTS (SELECT FROM dispute d WHERE d.campaign = a_campaign AND d.settled IS NULL);
END $$;

-- Permissions. PostgreSQL allows all roles to execute new functions, so revoke that first.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA manyply FROM PUBLIC;
GRANT USAGE ON SCHEMA manyply TO manyply_worker, manyply_reader;
GRANT EXECUTE ON FUNCTION describe, plan_of, register, claim, commit_part, renew, hand_back TO manyply_worker;
GRANT EXECUTE ON FUNCTION describe, plan_of, may_count TO manyply_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA manyply TO manyply_reader;
