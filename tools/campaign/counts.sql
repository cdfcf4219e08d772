-- The functions that verify counts: may_count decides which workers may count a part, commit_part stores a count and
-- compares it with others, and withdraw orders new counts. Runs directly after schema.sql. Helper functions run with the
-- rights and the search path of their caller, because the planner can inline only such functions.

-- Returns whether this worker may count this part. The answer is no if this worker, or a worker that is too similar
-- (verify_other), has counted the other pass of the part or has leased it. Normally pass 0 is counted before pass 1, so
-- workers are excluded only from pass 1. After a withdrawal, pass 1 may be done while pass 0 is open; then workers are
-- excluded from pass 0.
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
  -- Lock both passes, pass 0 first. Without the locks, two workers that commit the same part at once would not see
  -- each other's counts.
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
    -- The last two parts may end at the same moment. The lock makes the second transaction see the first one.
    PERFORM FROM campaign c WHERE c.id = a_campaign FOR UPDATE;
    UPDATE campaign c SET state = 'done' WHERE c.id = a_campaign AND c.state IN ('running', 'stopped')
      AND NOT EXISTS (SELECT FROM part p WHERE p.campaign = a_campaign AND p.state <> 'done');
  END IF;
  SELECT CASE WHEN c.state <> 'running' THEN c.state WHEN v_held THEN 'go on' ELSE 'lost' END
    INTO answer FROM campaign c WHERE c.id = a_campaign;
END $$;

-- For the owner: withdraws counts, so that their parts are counted again, and settles the disputes about these counts. If
-- a worker is given, withdraws all its counts and gives it no more parts. Otherwise withdraws one count. Returns the number
-- of withdrawn counts.
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
