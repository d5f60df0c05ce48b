import { migration } from '@cobro/database'

/**
 * What users may do, and when others last changed their credentials or access. Existing users may do everything, as before. The trigger is for users that the release before inserts
 * while both run.
 */
export const userAccesses = migration(
  '0010-user-accesses',
  `
  alter table users add column access text;
  -- Long ago, so that existing users are as old as before.
  alter table users add column credentials_since timestamptz(3) not null default 'epoch';

  create function set_widest_access() returns trigger language plpgsql as $$
  begin
    new.access := case new.role when 'operator' then 'admin' else 'owner' end;
    return new;
  end $$;
  create trigger users_widest_access before insert on users
    for each row when (new.access is null) execute function set_widest_access();

  update users set access = case role when 'operator' then 'admin' else 'owner' end;
  alter table users
    alter column access set not null,
    add constraint users_access_of_role check (
      access in ('admin', 'finance', 'support', 'auditor') and role = 'operator'
      or access in ('owner', 'developer', 'finance', 'viewer') and role = 'client'
    );
  `,
)
