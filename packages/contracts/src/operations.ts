import type { Operation } from './operation.ts'
import { acquirerOperations } from './resources/acquirer.ts'
import { apiKeyOperations } from './resources/api-keys.ts'
import { auditOperations } from './resources/audit-events.ts'
import { authOperations } from './resources/auth.ts'
import { balanceSnapshots } from './resources/balance-snapshots.ts'
import { checkoutSessionOperations, checkoutSessions } from './resources/checkout-sessions.ts'
import { disputes } from './resources/disputes.ts'
import { docsOperations } from './resources/docs.ts'
import { feeRules } from './resources/fee-rules.ts'
import { healthOperations } from './resources/health.ts'
import { hostedOperations } from './resources/hosted.ts'
import { ledgerOperations } from './resources/ledger.ts'
import { merchants } from './resources/merchants.ts'
import { linkOperations, paymentLinks, publicLinkOperations } from './resources/payment-links.ts'
import { rollingReserves } from './resources/rolling-reserve.ts'
import { settlementConfigs } from './resources/settlement-config.ts'
import { settlements } from './resources/settlements.ts'
import { sucursales } from './resources/sucursales.ts'
import { terminales, terminalLinkOperations } from './resources/terminales.ts'
import { transactionOperations } from './resources/transactions.ts'
import { userOperations } from './resources/users.ts'
import { deliveryOperations } from './resources/webhook-deliveries.ts'
import { webhookOperations, webhooks } from './resources/webhooks.ts'

/** Every operation of the API: the gateway's route table and the API description are made from this list. */
export const operations: readonly Operation[] = [
  ...Object.values(healthOperations),
  ...Object.values(docsOperations),
  ...Object.values(authOperations),
  ...Object.values(apiKeyOperations),
  ...Object.values(merchants.operations),
  ...Object.values(userOperations),
  ...Object.values(checkoutSessionOperations),
  ...Object.values(linkOperations),
  ...Object.values(checkoutSessions.operations),
  ...Object.values(paymentLinks.operations),
  ...Object.values(hostedOperations),
  ...Object.values(publicLinkOperations),
  ...Object.values(acquirerOperations),
  ...Object.values(transactionOperations),
  ...Object.values(feeRules.operations),
  ...Object.values(rollingReserves.operations),
  ...Object.values(settlementConfigs.operations),
  ...Object.values(settlements.operations),
  ...Object.values(disputes.operations),
  ...Object.values(balanceSnapshots.operations),
  ...Object.values(ledgerOperations),
  ...Object.values(sucursales.operations),
  ...Object.values(terminales.operations),
  ...Object.values(terminalLinkOperations),
  ...Object.values({ ...webhooks.operations, ...webhookOperations }),
  ...Object.values(deliveryOperations),
  ...Object.values(auditOperations),
]
