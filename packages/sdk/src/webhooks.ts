export type * from './generated/types.ts'
export * from './handle-events.ts'
export { type VerifyOptions, verifyWebhook, verifyWebhookRequest } from './verify-webhook.ts'
export {
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './webhook.ts'
