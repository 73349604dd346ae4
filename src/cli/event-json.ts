import type { LogEntry } from '../sidecar/index.js'
import { jsonText } from './json-line.js'

/** Creates the function that turns an entry of the event log into lines of JSON: one, or none for a beat like any other. */
export function createEventJson(verbose: boolean): (entry: LogEntry) => string[] {
  return ({ event, at, ...outcome }) => {
    const { type, ...details } = event
    const isBeat = event.type === 'call' && event.call.operation === 'health'
    const isNews = (outcome.reply?.status ?? 200) >= 400 || outcome.changes.length > 0 || outcome.warnings.length > 0
    return isBeat && !isNews && !verbose
      ? []
      : [jsonText({ time: new Date(at).toISOString(), event: type, ...details, ...outcome })]
  }
}

/** A line of JSON about something that is no entry of the event log. */
export function jsonEvent(event: string, details: object = {}): string {
  return jsonText({ time: new Date().toISOString(), event, ...details })
}
