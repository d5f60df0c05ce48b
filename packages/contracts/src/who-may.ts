import type { CallerKind } from './callers.ts'

const open = ['payer'] as const
const keys = ['key'] as const
const merchants = ['key', 'client', 'operator'] as const
const users = ['client', 'operator'] as const
const operators = ['operator'] as const

/**
 * Who may call which operation: one line each, read by the gateway and once more by the service. An operation without a line
 * cannot be declared. `open` needs no credential; whose object is meant is compared where it is loaded, and an operator's
 * scope where it states a merchant.
 */
export const whoMay: Readonly<Record<string, readonly CallerKind[]>> = {
  getHealth: open,
  getOpenApi: open,
  showDocs: open,
  getDocsFile: open,
  login: open,
  refreshToken: open,
  logout: open,
  setPassword: open,
  getJwks: open,

  createApiKey: users,
  listApiKeys: users,
  getApiKey: users,
  updateApiKey: users,
  deleteApiKey: users,
  rotateApiKey: users,

  listMerchants: operators,
  getMerchant: operators,
  createMerchant: operators,
  updateMerchant: operators,
  deleteMerchant: operators,
  listUsers: operators,
  getUser: operators,
  createUser: operators,
  updateUser: operators,
  deleteUser: operators,
  issueSetupToken: operators,

  createCheckoutSession: keys,
  getCheckoutSession: keys,
  cancelCheckoutSession: keys,
  createLink: keys,
  getLink: keys,
  cancelLink: keys,

  listSessions: merchants,
  getSession: merchants,
  createSession: merchants,
  updateSession: merchants,
  deleteSession: merchants,
  listPaymentLinks: merchants,
  getPaymentLink: merchants,
  createPaymentLink: merchants,
  updatePaymentLink: merchants,
  deletePaymentLink: merchants,

  showCheckoutPage: open,
  getHostedAsset: open,
  getHostedSession: open,
  payHostedSession: open,
  cancelHostedSession: open,
  showLinkPage: open,
  getHostedLink: open,
  streamHostedSession: open,
  streamHostedLink: open,
  payHostedLink: open,
  getPublicLink: open,

  receiveNotification: ['acquirer'],
  paySandboxVoucher: operators,

  listTransactions: merchants,
  getTransaction: merchants,

  listSucursales: merchants,
  getSucursal: merchants,
  createSucursal: merchants,
  updateSucursal: merchants,
  deleteSucursal: merchants,
  listTerminales: merchants,
  getTerminal: merchants,
  createTerminal: merchants,
  updateTerminal: merchants,
  deleteTerminal: merchants,
  linkTerminal: merchants,
  unlinkTerminal: merchants,

  listWebhooks: merchants,
  getWebhook: merchants,
  createWebhook: merchants,
  updateWebhook: merchants,
  deleteWebhook: merchants,
  listWebhookEvents: merchants,
  listWebhookDeliveries: merchants,
  getWebhookDelivery: merchants,

  listEvents: operators,
  getEvent: operators,
  exportEvents: operators,
  verifyEvents: operators,
  listCheckpoints: operators,
  listCheckpointKeys: operators,
}

/** What an operator may do only if its scope is all merchants: these change which there are, or concern the events of all. */
export const needsAllMerchants: ReadonlySet<string> = new Set([
  'createMerchant',
  'deleteMerchant',
  'verifyEvents',
  'listCheckpoints',
  'listCheckpointKeys',
])
