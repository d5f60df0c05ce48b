-- The schemas of one database and their privileges. Idempotent. Needs the roles of roles.sql.
-- Reads the setting cobro.schemas: the schema names, separated by commas.
do $$
declare
  schema text;
  owner text;
  login text;
begin
  -- Concurrent runs would collide in the catalog.
  perform pg_advisory_xact_lock(hashtextextended('cobro schemas', 0));

  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to cobro_migrator, cobro_operator', current_database());
  revoke all on schema public from public;
  -- SSDs read random pages nearly as fast as sequential ones. The default of 4 is for disks and prefers sequential scans to indexes.
  -- Keeps a value that the administrator has set for the server or for this database.
  if (select source from pg_settings where name = 'random_page_cost') = 'default' then
    begin
      execute format('alter database %I set random_page_cost = 1.1', current_database());
    exception when insufficient_privilege then
      raise warning 'random_page_cost is left as it is: that is for the owner of this database';
    end;
  end if;

  -- For indexes on a merchant plus words or parts of words. In a shared schema, so that every owner can create such indexes.
  create schema if not exists extensions;
  create extension if not exists btree_gin schema extensions;
  create extension if not exists pg_trgm schema extensions;
  grant usage on schema extensions to public;

  create schema if not exists operators;
  grant usage on schema operators to cobro_operator;
  -- Shows operators what connections to this database are doing. pg_stat_activity would show whole statements with their values,
  -- so this function returns only the first word, if it is an SQL command.
  create or replace function operators.activity()
  returns table (
    pid integer, usename name, application_name text, client_addr inet, backend_start timestamptz, xact_start timestamptz,
    query_start timestamptz, state_change timestamptz, state text, wait_event_type text, wait_event text, statement text
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $activity$
    select pid, usename, application_name, client_addr, backend_start, xact_start, query_start, state_change, state, wait_event_type,
      wait_event,
      substring(lower(query) from '^\s*(select|with|insert|update|delete|begin|commit|rollback|copy|vacuum|analyze|create|alter)\M')
    from pg_stat_activity where datname = current_database()
  $activity$;
  revoke all on function operators.activity() from public;
  grant execute on function operators.activity() to cobro_operator;

  foreach schema in array string_to_array(current_setting('cobro.schemas'), ',') loop
    owner := format('cobro_%s_owner', schema);
    login := 'cobro_' || schema;
    execute format('create schema if not exists %I authorization %I', schema, owner);
    execute format('grant connect on database %I to %I', current_database(), login);
    execute format('grant usage on schema %I to %I', schema, login);

    execute format('alter default privileges for role %I revoke execute on functions from public', owner);
    -- Audit events are append-only, so the service has no privilege to update or delete.
    execute format(
      'alter default privileges for role %I in schema %I grant %s on tables to %I',
      owner, schema, case when schema = 'audit' then 'select, insert' else 'select, insert, update, delete' end, login
    );
    execute format('alter default privileges for role %I in schema %I grant usage on sequences to %I', owner, schema, login);
    -- The keeper drops expired partitions of the audit log. The schema's migrations grant the functions that it may call.
    if schema = 'audit' then
      execute format('grant connect on database %I to cobro_audit_keeper', current_database());
    end if;
  end loop;
end
$$;
