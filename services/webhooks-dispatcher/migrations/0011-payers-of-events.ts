import { migration } from '@cobro/database'

/** The function that finds the payer's address in an event. */
export const payersOfEvents = migration(
  '0011-payers-of-events',
  `
  -- The address of the payer in the object of an event, in lower case. It is in an index of the events, so it must never fail:
  -- what cannot be read, such as text with a NUL, has no payer. Not for parallel builds, in which no error can be caught.
  create function payer_of(body bytea) returns text language plpgsql immutable strict as $$
  declare
    content text;
    data jsonb;
  begin
    -- Here, since the errors of declarations are not caught.
    content := convert_from(body, 'UTF8');
    -- Most events without a payer need not be parsed.
    if position('@' in content) = 0 then
      return null;
    end if;
    data := content::jsonb -> 'data';
    return lower(coalesce(data ->> 'payer_email', data -> 'customer' ->> 'email'));
  exception when others then
    return null;
  end
  $$;
  grant execute on function payer_of(bytea) to cobro_webhooks;
  `,
)
