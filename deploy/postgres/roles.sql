-- The roles of a cluster. Idempotent; sets the passwords each time.
-- Reads the setting cobro.passwords, a JSON object with a password for each schema name, "migrator" and "audit_keeper".
do $$
declare
  passwords jsonb := current_setting('cobro.passwords');
  superuser boolean := current_setting('is_superuser');
  login text;
  owner text;
begin
  -- Roles are shared by the cluster, so preparing two databases at once would collide in its catalog.
  perform pg_advisory_xact_lock(hashtextextended('cobro roles', 0));

  for login in select 'cobro_' || name from jsonb_object_keys(passwords) as name loop
    if not exists (select from pg_roles where rolname = login) then
      execute format('create role %I', login);
    end if;
    execute format('alter role %I login noinherit password %L', login, passwords ->> substr(login, 7));
  end loop;

  -- For operators who run queries. Migrations grant it read access to everything but secrets. People log in with their own roles,
  -- which are members of it.
  if not exists (select from pg_roles where rolname = 'cobro_operator') then
    create role cobro_operator nologin;
  end if;
  -- pg_read_all_stats would show the services' statements, with values that no migration grants. Use operators.activity() of
  -- schemas.sql instead.
  if pg_has_role('cobro_operator', 'pg_read_all_stats', 'member')
    and pg_has_role(current_user, 'pg_read_all_stats', 'member with admin option') then
    revoke pg_read_all_stats from cobro_operator;
  end if;

  for owner in select format('cobro_%s_owner', name) from jsonb_object_keys(passwords - '{migrator,audit_keeper}'::text[]) as name loop
    if not exists (select from pg_roles where rolname = owner) then
      execute format('create role %I nologin', owner);
    end if;
    -- The owner of a schema cannot log in. The migrator switches to it with "set role" to change tables.
    execute format('grant %I to cobro_migrator', owner);
    -- The administrator of a managed server is not a superuser and needs membership in the owner role.
    if not superuser then
      execute format('grant %I to current_user', owner);
    end if;
  end loop;
end
$$;
