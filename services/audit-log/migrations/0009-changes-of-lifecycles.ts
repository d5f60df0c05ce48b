import { migration } from '@cobro/database'

/**
 * The index of a lifecycle without the calls that only read, of which one that is watched has thousands. The condition is that of
 * `lifecycleOf`.
 */
export const changesOfLifecycles = migration(
  '0009-changes-of-lifecycles',
  `
  create index events_changes on events (correlation_id, occurred_at desc)
    where correlation_id is not null and (method is null or method not in ('GET', 'HEAD'));
  `,
)
