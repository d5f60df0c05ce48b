import { destinationOf, placeOf } from './destination.ts'

test.each([
  [' txn_01abc\n', { to: '/$scope/payments/$id', needs: 'getTransaction', id: 'txn_01abc' }],
  [
    'https://pay.example.com/links/pl_01abc',
    { to: '/$scope/links/$id', needs: 'getMerchantPaymentLink', id: 'pl_01abc' },
  ],
  ['cs_01abc', { to: '/$scope/sessions/$id', needs: 'getMerchantCheckoutSession', id: 'cs_01abc' }],
  ['whd_01abc', { to: '/$scope/deliveries/$id', needs: 'getWebhookDelivery', id: 'whd_01abc' }],
  ['req_01abc', { to: '/$scope/requests/$id', needs: 'listRequests', id: 'req_01abc' }],
  ['suc_01abc', { to: '/$scope/branches/$id', needs: 'getSucursal', id: 'suc_01abc' }],
  ['trm_01abc', { to: '/$scope/payments', needs: 'listTransactions', search: { terminal_id: 'trm_01abc' } }],
  ['corr_01abc', { to: '/$scope/payments', needs: 'listTransactions', search: { correlation_id: 'corr_01abc' } }],
  ['whk_01abc', { to: '/$scope/deliveries', needs: 'listWebhookDeliveries', search: { webhook_id: 'whk_01abc' } }],
  ['evt_01abc', { to: '/$scope/deliveries', needs: 'listWebhookDeliveries', search: { event_id: 'evt_01abc' } }],
  ['key_01abc', { to: '/$scope/keys', needs: 'listApiKeys', search: {} }],
  ['  ', undefined],
])('%j leads to %j', (text, destination) => {
  expect(destinationOf(text)).toEqual(destination)
})

test.each(['ana@example.com', 'order txn_01abc and more', 'constructor_1', 'dsp_01abc'])(
  '%j is searched for among the payments',
  search => {
    expect(destinationOf(search)).toEqual({ to: '/$scope/payments', needs: 'listTransactions', search: { search } })
  },
)

test.each(['dsp_01abc', 'constructor_1', 'A-1042', ''])('%j is no id that leads anywhere', text => {
  expect(placeOf(text)).toBeUndefined()
})
