import { acquirerOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { paySandboxVoucher, type SandboxVoucherDeps } from './pay-sandbox-voucher.ts'

export function sandboxVoucherRoutes(deps: SandboxVoucherDeps): Route[] {
  return [
    route(acquirerOperations.payVoucher, async ({ caller, params }) => {
      await paySandboxVoucher(deps, caller, params.reference)
      return { data: { reference: params.reference, status: 'paid' as const } }
    }),
  ]
}
