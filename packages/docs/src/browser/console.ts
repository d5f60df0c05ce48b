declare function SwaggerUIBundle(options: object): void

/** Without `validatorUrl: null`, Swagger UI would send the address to validator.swagger.io. */
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
})

export {}
