import { approvalOperations } from '@cobro/contracts'
import { readableRows } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import pLimit from 'p-limit'
import { ApprovalEntity } from './approval-entity.ts'
import { approveCall, type DecisionDeps, rejectCall } from './decide-approval.ts'

/** An approval holds a connection, and the call that it carries out may need another one, of the 16 that payments use too. */
const approvalsAtOnce = 4

/** Returns the routes of approvals, which carry out calls of the given routes. */
export function approvalRoutes(deps: DecisionDeps, others: readonly Route[]): Route[] {
  const { db } = deps
  const routes = new Map(others.map(one => [one.operation.id, one]))
  const limited = pLimit(approvalsAtOnce)
  const rows = readableRows(db, ApprovalEntity, { search: [] })
  return [
    route(approvalOperations.list, ({ caller, query }) => rows.list(caller, query)),
    route(approvalOperations.read, async ({ caller, params }) => ({ data: await rows.get(caller, params.id) })),
    route(approvalOperations.approve, async call => ({
      data: await limited(() => approveCall({ ...deps, routes }, call, call.params.id)),
    })),
    route(approvalOperations.reject, async ({ caller, params, body }) => ({
      data: await rejectCall(db, caller, params.id, body?.reason),
    })),
  ]
}
