import { type Operation, operations } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type Column, columns, type MatrixCaller, matrixCallers } from '../src/caller-columns.ts'
import { type MatrixCall, matrixCalls } from '../src/matrix-calls.ts'
import { sharedStack } from '../src/shared-stack.ts'

/**
 * The status that each operation (row) returns to each kind of caller (column), written by hand.
 * The requested objects belong to the first merchant. `op of mine` and `op of theirs` are operators of one merchant
 * each; all operators state the first merchant wherever an operation is about one. Clients are owners and operators admins, but for
 * six columns: users of the first merchant, and operators of all, with narrower accesses. `reads` and `writes` are keys of the first
 * merchant with all scopes to read or to write, `stale` an owner and an admin who logged in six minutes ago. None of them is a page of
 * this deployment.
 */
const expected = `
                          none  wrong  revoked other  my    their  my      their   op of  op of   op of  my    my    my     op   op   op   my     my     my    op
                                key    key     env    key   key    client  client  mine   theirs  all    dev   fin   view   fin  sup  aud  reads  writes stale stale
getHealth                 200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getJwks                   200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
login                     200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
refreshToken              200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
confirmLogin              401   401    401     401    403   403    200     401     401    401     401    401   401   401    401  401  401  403   403    401   401
logout                    200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
setPassword               200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
resetPassword             202   202    202     202    202   202    202     202     202    202     202    202   202   202    202  202  202  202   202    202   202
showPasswordPage          200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getOpenApi                200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
showDocs                  200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
redirectToDocs            200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getDocsFile               200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
showDocsPage              200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
showDashboard             200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
showDashboardHome         200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
showLinkPreview           200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
showDashboardScreen       200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getDashboardFile          404   404    404     404    404   404    404     404     404    404     404    404   404   404    404  404  404  404   404    404   404

listMerchants             401   401    401     401    403   403    403     403     200    200     200    403   403   403    200  200  200  403   403    403   200
getMerchant               401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  200  200  403   403    403   200
createMerchant            401   401    401     401    403   403    403     403     403    403     201    403   403   403    403  403  403  403   403    403   201
updateMerchant            401   401    401     401    403   403    403     403     200    403     200    403   403   403    403  403  403  403   403    403   403
deleteMerchant            401   401    401     401    403   403    403     403     403    403     200    403   403   403    403  403  403  403   403    403   403
listUsers                 401   401    401     401    403   403    200     200     200    200     200    403   403   403    200  200  200  403   403    200   200
getUser                   401   401    401     401    403   403    200     403     200    403     200    403   403   403    200  200  200  403   403    200   200
createUser                401   401    401     401    403   403    201     403     201    403     201    403   403   403    403  403  403  403   403    403   403
updateUser                401   401    401     401    403   403    200     403     200    403     200    403   403   403    403  403  403  403   403    403   403
deleteUser                401   401    401     401    403   403    403     403     200    403     200    403   403   403    403  403  403  403   403    403   403
issueSetupToken           401   401    401     401    403   403    200     403     200    403     200    403   403   403    403  403  403  403   403    403   403
removeUserFactor          401   401    401     401    403   403    200     403     200    403     200    403   403   403    403  403  403  403   403    403   403

browserLogin              403   403    403     403    403   403    403     403     403    403     403    403   403   403    403  403  403  403   403    403   403
browserLoginWithFactor    403   403    403     403    403   403    403     403     403    403     403    403   403   403    403  403  403  403   403    403   403
refreshBrowserLogin       403   403    403     403    403   403    403     403     403    403     403    403   403   403    403  403  403  403   403    403   403
browserLogout             403   403    403     403    403   403    403     403     403    403     403    403   403   403    403  403  403  403   403    403   403

getMe                     401   401    401     401    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getPreferences            401   401    401     401    403   403    200     200     200    200     200    200   200   200    200  200  200  403   403    200   200
updatePreferences         401   401    401     401    403   403    409     409     409    409     409    409   409   409    409  409  409  403   403    409   409

logInWithFactor           401   401    401     401    401   401    401     401     401    401     401    401   401   401    401  401  401  401   401    401   401
setUpFactorAtLogin        401   401    401     401    401   401    401     401     401    401     401    401   401   401    401  401  401  401   401    401   401
getFactor                 401   401    401     401    403   403    200     200     200    200     200    200   200   200    200  200  200  403   403    200   200
setUpFactor               401   401    401     401    403   403    200     200     200    200     200    200   200   200    200  200  200  403   403    403   403
confirmFactor             401   401    401     401    403   403    400     400     400    400     400    400   400   400    400  400  400  403   403    403   403
removeFactor              401   401    401     401    403   403    400     400     400    400     400    400   400   400    400  400  400  403   403    400   400
changePassword            401   401    401     401    403   403    400     400     400    400     400    400   400   400    400  400  400  403   403    403   403
endOtherLogins            401   401    401     401    403   403    200     200     200    200     200    200   200   200    200  200  200  403   403    200   200

listApiKeys               401   401    401     401    403   403    200     200     200    403     200    200   200   200    200  200  200  403   403    200   200
getApiKey                 401   401    401     401    403   403    200     403     200    403     200    200   200   200    200  200  200  403   403    200   200
createApiKey              401   401    401     401    403   403    201     201     201    403     201    403   403   403    403  403  403  403   403    403   403
updateApiKey              401   401    401     401    403   403    200     403     200    403     200    200   403   403    403  403  403  403   403    403   403
rotateApiKey              401   401    401     401    403   403    201     403     201    403     201    403   403   403    403  403  403  403   403    403   403
deleteApiKey              401   401    401     401    403   403    200     403     200    403     200    200   403   403    403  403  403  403   403    403   403

createCheckoutSession     401   401    401     401    201   201    403     403     403    403     403    403   403   403    403  403  403  403   201    403   403
getCheckoutSession        401   401    401     401    200   403    403     403     403    403     403    403   403   403    403  403  403  200   403    403   403
cancelCheckoutSession     401   401    401     401    200   403    403     403     403    403     403    403   403   403    403  403  403  403   200    403   403
createPaymentLink         401   401    401     401    201   201    403     403     403    403     403    403   403   403    403  403  403  403   201    403   403
getPaymentLink            401   401    401     401    200   403    403     403     403    403     403    403   403   403    403  403  403  200   403    403   403
cancelPaymentLink         401   401    401     401    200   403    403     403     403    403     403    403   403   403    403  403  403  403   200    403   403

listCheckoutSessions      401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getMerchantCheckoutSession 401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createMerchantCheckoutSession 401   401    401     401    201   201    201     201     201    403     201    201   201   403    403  403  403  403   201    201   201
updateCheckoutSession     401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    200   200
deleteCheckoutSession     401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    403   403
listPaymentLinks          401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getMerchantPaymentLink    401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createMerchantPaymentLink 401   401    401     401    201   201    201     201     201    403     201    201   201   403    403  403  403  403   201    201   201
updatePaymentLink         401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    200   200
deletePaymentLink         401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    403   403

listPaymentBlocks         401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  200  200  403   403    403   200
getPaymentBlock           401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  200  200  403   403    403   200
liftPaymentBlock          401   401    401     401    403   403    403     403     200    403     200    403   403   403    403  403  403  403   403    403   200

showCheckoutPage          200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getHostedAsset            200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getHostedSession          200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
payHostedSession          400   400    400     400    400   400    400     400     400    400     400    400   400   400    400  400  400  400   400    400   400
cancelHostedSession       200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
streamHostedSession       200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
showLinkPage              200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getHostedLink             200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
payHostedLink             400   400    400     400    400   400    400     400     400    400     400    400   400   400    400  400  400  400   400    400   400
streamHostedLink          200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
getPublicLink             200   200    200     200    200   200    200     200     200    200     200    200   200   200    200  200  200  200   200    200   200
reportPolicyViolations    204   204    204     204    204   204    204     204     204    204     204    204   204   204    204  204  204  204   204    204   204

receiveNotification       401   401    401     401    401   401    401     401     401    401     401    401   401   401    401  401  401  401   401    401   401
listTestCards             401   401    401     401    200   200    200     200     200    200     200    200   200   200    200  200  200  200   403    200   200
paySandboxVoucher         401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    200   200

listTransactions          401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
exportTransactions        401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getTransaction            401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createTransaction         401   401    401     401    403   403    403     403     201    403     201    403   403   403    201  403  403  403   403    403   201
updateTransaction         401   401    401     401    200   403    200     403     200    403     200    403   200   403    200  403  403  403   200    200   200
deleteTransaction         401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
refundTransaction         401   401    401     401    202   403    202     403     202    403     202    403   202   403    202  202  403  403   202    202   202

listFeeRules              401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getFeeRule                401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createFeeRule             401   401    401     401    403   403    403     403     201    403     201    403   403   403    201  403  403  403   403    403   403
updateFeeRule             401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
deleteFeeRule             401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
listRollingReserves       401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getRollingReserve         401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createRollingReserve      401   401    401     401    403   403    403     403     201    403     201    403   403   403    201  403  403  403   403    403   403
updateRollingReserve      401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
deleteRollingReserve      401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
listSettlementConfigs     401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getSettlementConfig       401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createSettlementConfig    401   401    401     401    403   403    403     403     201    403     201    403   403   403    201  403  403  403   403    403   403
updateSettlementConfig    401   401    401     401    403   403    200     403     200    403     200    403   200   403    200  403  403  403   403    403   403
approveBankChange         401   401    401     401    403   403    403     403     200    403     200    403   200   403    200  403  403  403   403    403   403
cancelBankChange          401   401    401     401    403   403    200     403     200    403     200    403   200   403    200  403  403  403   403    200   200
deleteSettlementConfig    401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
listSettlements           401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getSettlement             401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createSettlement          401   401    401     401    403   403    403     403     201    403     201    403   403   403    201  403  403  403   403    403   201
updateSettlement          401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
deleteSettlement          401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
listDisputes              401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getDispute                401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createDispute             401   401    401     401    403   403    403     403     201    403     201    403   403   403    201  403  403  403   403    403   201
updateDispute             401   401    401     401    200   403    200     403     200    403     200    403   200   403    200  403  403  403   200    200   200
deleteDispute             401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
listBalanceSnapshots      401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getBalanceSnapshot        401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createBalanceSnapshot     401   401    401     401    403   403    403     403     201    403     201    403   403   403    201  403  403  403   403    403   201
updateBalanceSnapshot     401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   200
deleteBalanceSnapshot     401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
checkLedger               401   401    401     401    403   403    403     403     200    200     200    403   403   403    200  200  200  403   403    403   200

listApprovals             401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  200  200  403   403    403   200
getApproval               401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  200  200  403   403    403   200
approveCall               401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   403
rejectCall                401   401    401     401    403   403    403     403     200    403     200    403   403   403    200  403  403  403   403    403   200

listSucursales            401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getSucursal               401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createSucursal            401   401    401     401    201   201    201     201     201    403     201    201   201   403    403  403  403  403   201    201   201
updateSucursal            401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    200   200
deleteSucursal            401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    403   403
listTerminales            401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getTerminal               401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createTerminal            401   401    401     401    201   201    201     201     201    403     201    201   201   403    403  403  403  403   201    201   201
updateTerminal            401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    200   200
deleteTerminal            401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    403   403
linkTerminal              401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    200   200
unlinkTerminal            401   401    401     401    200   403    200     403     200    403     200    200   200   403    403  403  403  403   200    403   403

listWebhooks              401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getWebhook                401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createWebhook             401   401    401     401    201   201    201     201     201    403     201    201   403   403    403  403  403  403   201    403   403
updateWebhook             401   401    401     401    200   403    200     403     200    403     200    200   403   403    403  403  403  403   200    403   403
deleteWebhook             401   401    401     401    200   403    200     403     200    403     200    200   403   403    403  403  403  403   200    403   403
rotateWebhookSecret       401   401    401     401    200   403    200     403     200    403     200    200   403   403    403  403  403  403   200    403   403
testWebhook               401   401    401     401    202   403    202     403     202    403     202    202   403   403    403  403  403  403   202    202   202
redeliverToWebhook        401   401    401     401    202   403    202     403     202    403     202    202   403   403    403  403  403  403   202    202   202
getEventCatalog           401   401    401     401    200   200    200     200     200    200     200    200   200   200    200  200  200  200   403    200   200
listWebhookEvents         401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getWebhookEvent           401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
listWebhookDeliveries     401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getWebhookDelivery        401   401    401     401    200   403    200     403     200    403     200    200   200   200    200  200  200  200   403    200   200
createWebhookDelivery     401   401    401     401    201   403    201     403     201    403     201    201   403   403    403  403  403  403   201    201   201
cancelWebhookDelivery     401   401    401     401    200   403    200     403     200    403     200    200   403   403    403  403  403  403   200    200   200
deleteWebhookDelivery     401   401    401     401    200   403    200     403     200    403     200    200   403   403    403  403  403  403   200    403   403
redeliverWebhook          401   401    401     401    202   403    202     403     202    403     202    202   403   403    403  403  403  403   202    202   202

getPaymentReport          401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getDeclineReport          401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getCheckoutReport         401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getWebhookReport          401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200

listRequests              401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
getLifecycle              401   401    401     401    200   200    200     200     200    403     200    200   200   200    200  200  200  200   403    200   200
listEvents                401   401    401     401    403   403    403     403     200    403     200    403   403   403    403  403  200  403   403    403   200
getEvent                  401   401    401     401    403   403    403     403     200    403     200    403   403   403    403  403  200  403   403    403   200
exportEvents              401   401    401     401    403   403    403     403     200    403     200    403   403   403    403  403  200  403   403    403   200
verifyEvents              401   401    401     401    403   403    403     403     403    403     200    403   403   403    403  403  200  403   403    403   200
listCheckpoints           401   401    401     401    403   403    403     403     403    403     200    403   403   403    403  403  200  403   403    403   200
listCheckpointKeys        401   401    401     401    403   403    403     403     403    403     200    403   403   403    403  403  200  403   403    403   200
`

const rows = new Map(
  expected
    .split('\n')
    .filter(line => /^\w/.test(line))
    .map(line => {
      const [id = '', ...statuses] = line.split(/ +/)
      return [id, statuses.map(Number)] as const
    }),
)

let stack: AcceptanceStack
let callers: Record<Column, MatrixCaller>
let calls: Awaited<ReturnType<typeof matrixCalls>>
beforeAll(async () => {
  stack = await sharedStack()
  callers = await matrixCallers(stack)
  calls = await matrixCalls(stack)
})
afterAll(() => stack?.stop())

const newCall = async ({ id }: Operation): Promise<MatrixCall> => (await calls[id]?.()) ?? {}

async function askAs(column: Column, operation: Operation, { params = {}, body, headers }: MatrixCall) {
  const { client, states } = callers[column]
  const path = operation.path.replace(/[:*](\w+)/g, (_all, name) => params[name] ?? '')
  const stated: Record<string, string> = states && operation.tenant ? { 'x-merchant-id': states } : {}
  return client.call(operation.method, path, body, { ...stated, ...headers })
}

test('has exactly one row in the matrix for each operation', () => {
  expect([...rows.keys()].sort()).toEqual(operations.map(operation => operation.id).sort())
  for (const [id, statuses] of rows) expect([id, statuses.length]).toEqual([id, columns.length])
})

/** Returns the status that each kind of caller gets. */
async function statusesOf(operation: Operation): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  let call: MatrixCall | undefined
  for (const column of columns) {
    call ??= await newCall(operation)
    const { status } = await askAs(column, operation, call)
    statuses[column] = status
    // A rejected caller must not have changed anything, so the next caller requests the same object.
    if (!(operation.method === 'GET' || status === 401 || status === 403)) call = undefined
  }
  return statuses
}

test.each(operations.map(operation => [operation.id, operation] as const))(
  '%s answers every kind of caller as the matrix says',
  async (id, operation) => {
    const expected = Object.fromEntries(columns.map((column, at) => [column, rows.get(id)?.[at]]))
    const check = async () => {
      expect(await statusesOf(operation)).toEqual(expected)
      return true
    }
    // On a busy machine a health check can time out, and the system is unhealthy until the next one.
    await (id === 'getHealth' ? waitFor(check) : check())
  },
)

test.each(operations.filter(({ id, tenant }) => tenant && id.startsWith('list')).map(one => [one.id, one] as const))(
  '%s shows a stranger nothing of the first merchant',
  async (_id, operation) => {
    const { merchant_id } = stack.stack
    const seenBy = async (column: Column) => {
      const answer = await askAs(column, operation, await newCall(operation))
      return answer.status === 200 ? (answer.body.data as { merchant_id?: string }[]) : []
    }
    const whose = async (column: Column) => (await seenBy(column)).map(row => row.merchant_id)
    expect([...(await whose('their key')), ...(await whose('their client'))]).not.toContain(merchant_id)
    expect((await whose('op of all')).filter(id => id !== merchant_id && id !== undefined)).toEqual([])
  },
)
