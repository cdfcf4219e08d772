-- Runs before schema.sql: creates the schema and the missing roles. The roles have no login; the administrator grants
-- them to login roles.
DO $$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ARRAY['manyply_owner', 'manyply_worker', 'manyply_reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = v_role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
    END IF;
  END LOOP;
  IF NOT pg_has_role('manyply_owner', 'MEMBER') THEN
    EXECUTE format('GRANT manyply_owner TO %I', current_user);
  END IF;
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'manyply') THEN
    CREATE SCHEMA manyply AUTHORIZATION manyply_owner;
  END IF;
END $$;
SET LOCAL ROLE manyply_owner;
SET LOCAL search_path = manyply, pg_temp;
CREATE TABLE IF NOT EXISTS manyply.schema_version (
  version int PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);
