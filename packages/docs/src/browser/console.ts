declare function SwaggerUIBundle(options: object): void

const description = await (await fetch('/openapi.json')).json()

/** Without `validatorUrl: null`, Swagger UI would send the address to validator.swagger.io. */
SwaggerUIBundle({
  // The page may be opened under another name than the description has, and may call its own host only.
  spec: { ...description, servers: [{ url: location.origin }] },
  dom_id: '#docs',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
})

export {}
