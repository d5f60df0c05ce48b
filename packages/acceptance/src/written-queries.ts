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

/** A query of an alert or a panel, and the labels that its annotations or legend use. */
export interface WrittenQuery {
  where: string
  expr: string
  usedLabels: string[]
}

/** Reads a file of the repository. */
export const readFromRoot = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

export const readAlerts = (): AlertRule[] =>
  parse(readFromRoot('deploy/prometheus/alerts.yml')).groups.flatMap((group: { rules: AlertRule[] }) => group.rules)

export const readPanels = (): Panel[] => JSON.parse(readFromRoot('deploy/grafana/board.json')).panels

/** The queries of all alerts and of the dashboard, with Grafana's variables replaced. */
export function writtenQueries(): WrittenQuery[] {
  const alerts = readAlerts().map(({ alert, expr, annotations }) => ({
    where: alert,
    expr,
    usedLabels: namesIn(JSON.stringify(annotations), /\$labels\.(\w+)/g),
  }))
  const panels = readPanels().flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `«${title}» of the dashboard`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.*'),
      usedLabels: namesIn(legendFormat, /\{\{\s*(\w+)\s*\}\}/g),
    })),
  )
  return [...alerts, ...panels]
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name ?? '')
}
