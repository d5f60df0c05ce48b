import { migrationInSteps } from '@cobro/database'

/**
 * The index by which the events of one payer are found. Of an expression, and not of a column: that would need values for all stored
 * events, and for those of replicas of the release before.
 */
export const eventPayers = migrationInSteps('0012-event-payers', [
  'drop index concurrently if exists events_payer',
  'create index concurrently events_payer on events (webhooks.payer_of(body))',
])
