-- The roles of a cluster. May be run again at any time; the newest passwords win.
-- Reads the setting cobro.passwords, a JSON object: the name of each schema, "migrator" and "audit_keeper", with its login's
-- password.
do $$
declare
  passwords jsonb := current_setting('cobro.passwords');
  superuser boolean := current_setting('is_superuser');
  login text;
  owner text;
begin
  -- Roles belong to the cluster. Two databases that are prepared at the same moment would collide in its catalog.
  perform pg_advisory_xact_lock(hashtextextended('cobro roles', 0));

  for login in select 'cobro_' || name from jsonb_object_keys(passwords) as name loop
    if not exists (select from pg_roles where rolname = login) then
      execute format('create role %I', login);
    end if;
    execute format('alter role %I login noinherit password %L', login, passwords ->> substr(login, 7));
  end loop;

  -- What operators read by hand: migrations grant it, and no secret. People log in under names of their own, which it is granted to.
  if not exists (select from pg_roles where rolname = 'cobro_operator') then
    create role cobro_operator nologin;
  end if;
  -- With that it would read the services' statements, and in them what no migration grants. schemas.sql gives it operators.activity().
  if pg_has_role('cobro_operator', 'pg_read_all_stats', 'member')
    and pg_has_role(current_user, 'pg_read_all_stats', 'member with admin option') then
    revoke pg_read_all_stats from cobro_operator;
  end if;

  for owner in select format('cobro_%s_owner', name) from jsonb_object_keys(passwords - '{migrator,audit_keeper}'::text[]) as name loop
    if not exists (select from pg_roles where rolname = owner) then
      execute format('create role %I nologin', owner);
    end if;
    -- The owner of a schema cannot log in: whoever changes tables does so as the migrator, with "set role".
    execute format('grant %I to cobro_migrator', owner);
    -- A managed server's administrator is no superuser, and may only give away what is its own.
    if not superuser then
      execute format('grant %I to current_user', owner);
    end if;
  end loop;
end
$$;
