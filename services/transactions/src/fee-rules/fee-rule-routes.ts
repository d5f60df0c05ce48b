import { ApiError, feeRules } from '@cobro/contracts'
import { type Database, tenantRows, violatesConstraint } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { FeeRuleEntity } from './fee-rule-entity.ts'

const events = { created: 'fee_rule.created', updated: 'fee_rule.updated', deleted: 'fee_rule.deleted' } as const

export function feeRuleRoutes({ db }: { db: Database }): Route[] {
  return Object.values(crud(feeRules, tenantRows(db, { resource: feeRules, entity: FeeRuleEntity, events, mapError })))
}

function mapError(error: unknown): ApiError | undefined {
  if (violatesConstraint(error, 'fee_rules_bounds'))
    return new ApiError('invalid_request', 'min_fee_cents: expected no more than max_fee_cents')
  if (violatesConstraint(error, 'fee_rules_validity'))
    return new ApiError('invalid_request', 'valid_from: expected a time before valid_to')
  return undefined
}
