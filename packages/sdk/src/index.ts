export { type VerifyOptions, verifyWebhook } from './verify-webhook.ts'
export { type WebhookEvent, type WebhookHeaders, type WebhookRefusal, WebhookRefused } from './webhook.ts'
