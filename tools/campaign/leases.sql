-- The functions with which workers register, lease parts and hand parts back, and all permissions. Runs directly after
-- counts.sql. Workers may call describe, plan_of, register, claim, commit_part, renew and hand_back, and nothing
-- else. Each call is one transaction and one round trip. The owner chooses the length of a lease (`create --lease`).
-- Its default is kUsualLeaseSeconds in campaign_store.h.

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
  -- A worker registers again if it did not receive the first answer. Repeat that answer.
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

-- Leases a part. Parts of pass 1 come first, so that bad machines are detected early; within a pass, the heaviest part
-- comes first. `answer` is 'part', 'wait' (no part is available), or the state of a campaign that is not running. A
-- worker counts one part at a time. A worker that already has a leased part did not receive the previous answer. It
-- gets the same part again, with the same epoch.
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
  -- If the lease of a part has expired, the part becomes open, unless another transaction is changing it.
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

-- Permissions. PostgreSQL allows all roles to execute new functions, so revoke that first.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA manyply FROM PUBLIC;
GRANT USAGE ON SCHEMA manyply TO manyply_worker, manyply_reader;
GRANT EXECUTE ON FUNCTION describe, plan_of, register, claim, commit_part, renew, hand_back TO manyply_worker;
GRANT EXECUTE ON FUNCTION describe, plan_of, may_count TO manyply_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA manyply TO manyply_reader;
