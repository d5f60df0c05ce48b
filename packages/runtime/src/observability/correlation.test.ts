import {
  activeTraceId,
  captureTrace,
  inNewTrace,
  setCorrelationId,
  shutdownTelemetry,
  withoutPropagation,
  withPrivateUrl,
  withTrace,
} from './correlation.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('without telemetry, work runs unchanged and there are no trace ids', async () => {
  setCorrelationId('corr_01jd0000000000000000000000')
  expect(withTrace({ traceparent, baggage: null }, () => activeTraceId())).toBeNull()
  expect(withoutPropagation(() => captureTrace())).toEqual({})
  expect(withPrivateUrl(() => captureTrace())).toEqual({})
  await expect(inNewTrace('sweep', { links: [{ traceparent }] }, () => 'done')).resolves.toBe('done')
  await expect(inNewTrace('sweep', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(shutdownTelemetry()).resolves.toBeUndefined()
})
