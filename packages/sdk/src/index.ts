export { type VerifyOptions, verifyWebhook } from './verify-webhook.ts'
export {
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './webhook.ts'
