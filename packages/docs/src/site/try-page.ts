import { html } from '../markdown/html.ts'

/** The names of the files of the console. */
export interface ConsoleAssets {
  viewer: string
  viewerStyle: string
  start: string
  style: string
  icon: string
}

/** Returns the page on which the API can be tried out, with Swagger UI. */
export function tryPage(assets: ConsoleAssets): string {
  const { viewer, viewerStyle, start, style, icon } = assets
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Try the API – Cobro documentation</title>
<link rel="icon" type="image/svg+xml" href="/docs/assets/${icon}">
<link rel="stylesheet" href="/docs/assets/${viewerStyle}">
<link rel="stylesheet" href="/docs/assets/${style}">
</head>
<body>
<header><a href="/docs">Documentation</a><h1>Try the API</h1></header>
<main id="docs"></main>
<noscript><p>The console needs JavaScript. The <a href="/docs">reference</a> does not.</p></noscript>
<script src="/docs/assets/${viewer}"></script>
<script type="module" src="/docs/assets/${start}"></script>
</body>
</html>
`.html
}
