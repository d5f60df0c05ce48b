/**
 * The method of an operation in the clients of the SDK: that of merchants' servers, which has an API key, and that of
 * users. A text names the method in each client that may call the operation. Otherwise the reason says why one of them, or
 * both, have none.
 */
export type SdkMethod = string | { readonly users?: string; readonly reason: string }

const byPayers = { reason: "The payer's page calls it." }
const ofMerchants = (users: string) => ({ users, reason: 'Keys have the same at /checkout/v1.' })
const byDashboard = { reason: 'The dashboard calls it.' }
const ofUsers = (users: string) => ({ users, reason: 'Keys neither log in nor out.' })

/** Returns the names of the five methods of a resource. */
function crud(group: string, one: string, many: string): Record<string, string> {
  return {
    [`list${many}`]: `${group}.list`,
    [`get${one}`]: `${group}.retrieve`,
    [`create${one}`]: `${group}.create`,
    [`update${one}`]: `${group}.update`,
    [`delete${one}`]: `${group}.delete`,
  }
}

/** The methods of the SDK by the ids of the operations. A test finds operations that are missing here. */
export const sdkMethods: Readonly<Record<string, SdkMethod>> = {
  createCheckoutSession: 'checkout.sessions.create',
  getCheckoutSession: 'checkout.sessions.retrieve',
  cancelCheckoutSession: 'checkout.sessions.cancel',
  listCheckoutSessions: 'checkout.sessions.list',
  updateCheckoutSession: 'checkout.sessions.update',
  createMerchantCheckoutSession: ofMerchants('checkout.sessions.create'),
  getMerchantCheckoutSession: ofMerchants('checkout.sessions.retrieve'),
  deleteCheckoutSession: ofMerchants('checkout.sessions.delete'),

  createPaymentLink: 'paymentLinks.create',
  getPaymentLink: 'paymentLinks.retrieve',
  cancelPaymentLink: 'paymentLinks.cancel',
  listPaymentLinks: 'paymentLinks.list',
  updatePaymentLink: 'paymentLinks.update',
  createMerchantPaymentLink: ofMerchants('paymentLinks.create'),
  getMerchantPaymentLink: ofMerchants('paymentLinks.retrieve'),
  deletePaymentLink: ofMerchants('paymentLinks.delete'),
  getPublicLink: 'paymentLinks.retrievePublic',

  listPaymentBlocks: 'paymentBlocks.list',
  getPaymentBlock: 'paymentBlocks.retrieve',
  liftPaymentBlock: 'paymentBlocks.lift',

  ...crud('transactions', 'Transaction', 'Transactions'),
  exportTransactions: 'transactions.export',
  refundTransaction: 'transactions.refund',
  ...crud('disputes', 'Dispute', 'Disputes'),

  ...crud('settlementConfigs', 'SettlementConfig', 'SettlementConfigs'),
  approveBankChange: 'settlementConfigs.approveBankChange',
  cancelBankChange: 'settlementConfigs.cancelBankChange',
  ...crud('settlements', 'Settlement', 'Settlements'),
  ...crud('balanceSnapshots', 'BalanceSnapshot', 'BalanceSnapshots'),
  ...crud('feeRules', 'FeeRule', 'FeeRules'),
  ...crud('rollingReserves', 'RollingReserve', 'RollingReserves'),
  checkLedger: 'ledger.check',
  listApprovals: 'approvals.list',
  getApproval: 'approvals.retrieve',
  approveCall: 'approvals.approve',
  rejectCall: 'approvals.reject',

  ...crud('sucursales', 'Sucursal', 'Sucursales'),
  ...crud('terminales', 'Terminal', 'Terminales'),
  linkTerminal: 'terminales.link',
  unlinkTerminal: 'terminales.unlink',

  ...crud('webhookEndpoints', 'Webhook', 'Webhooks'),
  rotateWebhookSecret: 'webhookEndpoints.rotateSecret',
  testWebhook: 'webhookEndpoints.sendTest',
  redeliverToWebhook: 'webhookEndpoints.redeliver',
  getEventCatalog: 'webhookEndpoints.catalog',
  listWebhookDeliveries: 'webhookDeliveries.list',
  getWebhookDelivery: 'webhookDeliveries.retrieve',
  createWebhookDelivery: 'webhookDeliveries.create',
  cancelWebhookDelivery: 'webhookDeliveries.cancel',
  deleteWebhookDelivery: 'webhookDeliveries.hide',
  redeliverWebhook: 'webhookDeliveries.redeliver',
  listWebhookEvents: 'webhookEvents.list',
  getWebhookEvent: 'webhookEvents.retrieve',

  getPaymentReport: 'reports.payments',
  getDeclineReport: 'reports.declines',
  getCheckoutReport: 'reports.checkout',
  getWebhookReport: 'reports.webhooks',
  listRequests: 'requests.list',
  getLifecycle: 'lifecycles.list',
  listEvents: 'audit.list',
  getEvent: 'audit.retrieve',
  exportEvents: 'audit.export',
  verifyEvents: 'audit.verify',
  listCheckpoints: 'audit.checkpoints',
  listCheckpointKeys: 'audit.checkpointKeys',

  ...crud('apiKeys', 'ApiKey', 'ApiKeys'),
  rotateApiKey: 'apiKeys.rotate',
  ...crud('merchants', 'Merchant', 'Merchants'),
  ...crud('users', 'User', 'Users'),
  issueSetupToken: 'users.issueSetupToken',
  browserLogin: byDashboard,
  browserLoginWithFactor: byDashboard,
  refreshBrowserLogin: byDashboard,
  browserLogout: byDashboard,
  login: ofUsers('auth.login'),
  logInWithFactor: ofUsers('auth.loginFactor'),
  setUpFactorAtLogin: ofUsers('auth.setUpFactor'),
  confirmLogin: 'auth.confirm',
  getFactor: 'factor.retrieve',
  setUpFactor: 'factor.setUp',
  confirmFactor: 'factor.confirm',
  removeFactor: 'factor.remove',
  removeUserFactor: 'users.removeFactor',
  logout: ofUsers('auth.logout'),
  refreshToken: ofUsers('auth.refresh'),
  setPassword: ofUsers('auth.setPassword'),
  resetPassword: ofUsers('auth.resetPassword'),
  changePassword: 'auth.changePassword',
  endOtherLogins: 'auth.endOtherLogins',

  getMe: 'me',
  getPreferences: 'preferences.retrieve',
  updatePreferences: 'preferences.update',
  getHealth: 'health',
  listTestCards: 'sandbox.testCards',
  paySandboxVoucher: 'sandbox.payVoucher',

  getHostedSession: byPayers,
  payHostedSession: byPayers,
  cancelHostedSession: byPayers,
  streamHostedSession: byPayers,
  getHostedLink: byPayers,
  payHostedLink: byPayers,
  streamHostedLink: byPayers,
  getJwks: { reason: 'Services check the tokens of calls with it.' },
  receiveNotification: { reason: 'Only the acquirer calls it.' },
}
