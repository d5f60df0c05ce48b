export { type VerifyOptions, verifyWebhook, verifyWebhookRequest } from './verify-webhook.ts'
export {
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './webhook.ts'
