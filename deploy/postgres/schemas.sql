-- The schemas of one database, and who may do what in it. May be run again at any time. Needs the roles of roles.sql.
-- Reads the setting cobro.schemas: the schemas' names, separated by commas.
do $$
declare
  schema text;
  owner text;
  login text;
begin
  -- Two runs at the same moment would collide in the catalog.
  perform pg_advisory_xact_lock(hashtextextended('cobro schemas', 0));

  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to cobro_migrator, cobro_operator', current_database());
  revoke all on schema public from public;
  -- On flash any page is read as fast as the next one. By what disks took, a table would sooner be read whole than by an index.
  -- Whoever runs the server may have said otherwise, for all of it or for this database.
  if (select source from pg_settings where name = 'random_page_cost') = 'default' then
    begin
      execute format('alter database %I set random_page_cost = 1.1', current_database());
    exception when insufficient_privilege then
      raise warning 'random_page_cost is left as it is: that is for the owner of this database';
    end;
  end if;

  -- For indexes over a merchant and words or parts of words. Usable by all, so that any owner may make such an index.
  create schema if not exists extensions;
  create extension if not exists btree_gin schema extensions;
  create extension if not exists pg_trgm schema extensions;
  grant usage on schema extensions to public;

  create schema if not exists operators;
  grant usage on schema operators to cobro_operator;
  -- What the connections to this database are busy with, for operators. pg_stat_activity shows whoever may look there whole statements,
  -- and in these stand the values that a service writes and asks for. Here is the first word, where it is one of SQL.
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
    -- An audit event is written once and never changed, so its service cannot even ask for more.
    execute format(
      'alter default privileges for role %I in schema %I grant %s on tables to %I',
      owner, schema, case when schema = 'audit' then 'select, insert' else 'select, insert, update, delete' end, login
    );
    execute format('alter default privileges for role %I in schema %I grant usage on sequences to %I', owner, schema, login);
    -- Who drops what the log has kept for long enough. What it may call, the schema's own migrations say.
    if schema = 'audit' then
      execute format('grant connect on database %I to cobro_audit_keeper', current_database());
    end if;
  end loop;
end
$$;
