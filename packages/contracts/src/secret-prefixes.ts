/** How each kind of secret begins: redaction, masking and scanners recognize it by its prefix. */
export const secretPrefixes = {
  sandboxApiKey: 'vk_test_',
  productionApiKey: 'vk_live_',
  refreshToken: 'vrt_',
  setupToken: 'vst_',
  webhookSecret: 'whsec_',
} as const

/** The source of a regular expression that matches any of the prefixes. */
export const anySecretPrefix = `(?:${Object.values(secretPrefixes).join('|')})`
