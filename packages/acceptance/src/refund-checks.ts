import type { AcceptanceStack } from './acceptance-stack.ts'

/**
 * Delays the checks after a refund's request by a day, so that the acquirer's notification reports
 * the outcome. On a slow machine a check two seconds later would come first.
 */
export const checkRefundsTomorrow = ({ query }: Pick<AcceptanceStack, 'query'>) =>
  query(
    `create function transactions.check_tomorrow() returns trigger language plpgsql as $$ begin
       new.next_check_at := new.next_check_at + interval '1 day';
       return new;
     end $$;
     create trigger check_tomorrow before update on transactions.refunds
     for each row when (new.check_count > old.check_count) execute function transactions.check_tomorrow()`,
  )
