-- The schemas of one database, and who may do what in it. May be run again at any time. Needs the roles of roles.sql.
-- Reads the setting cobro.schemas: the schemas' names, separated by commas.
do $$
declare
  schema text;
  owner text;
  login text;
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to cobro_migrator, cobro_operator', current_database());
  revoke all on schema public from public;
  -- On flash any page is read as fast as the next one. By what disks took, a table would sooner be read whole than by an index.
  execute format('alter database %I set random_page_cost = 1.1', current_database());

  -- For indexes over a merchant and words or parts of words. Usable by all, so that any owner may make such an index.
  create schema if not exists extensions;
  create extension if not exists btree_gin schema extensions;
  create extension if not exists pg_trgm schema extensions;
  grant usage on schema extensions to public;

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
