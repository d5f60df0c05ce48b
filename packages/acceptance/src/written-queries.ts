import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface AlertRule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}

export interface Panel {
  id: number
  type: string
  title: string
  datasource?: { type: string; uid: string }
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string; legendFormat: string }[]
}

/** A query that is written down somewhere, and the labels that the words about it speak of. */
export interface WrittenQuery {
  where: string
  expr: string
  told: string[]
}

/** A file of the repository. */
export const readFromRoot = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

export const readAlerts = (): AlertRule[] =>
  parse(readFromRoot('deploy/prometheus/alerts.yml')).groups.flatMap((group: { rules: AlertRule[] }) => group.rules)

export const readPanels = (): Panel[] => JSON.parse(readFromRoot('deploy/grafana/board.json')).panels

/** The queries of all alerts and of the board, with what Grafana puts in for its own words. */
export function writtenQueries(): WrittenQuery[] {
  const alerts = readAlerts().map(({ alert, expr, annotations }) => ({
    where: alert,
    expr,
    told: namesIn(JSON.stringify(annotations), /\$labels\.(\w+)/g),
  }))
  const panels = readPanels().flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `«${title}» of the board`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.*'),
      told: namesIn(legendFormat, /\{\{\s*(\w+)\s*\}\}/g),
    })),
  )
  return [...alerts, ...panels]
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name ?? '')
}
