import type { LocalSidecar } from './local-sidecar.js'

/** Where the dashboard is. The token is in the fragment, which is neither sent nor logged. */
export function dashboardUrl({ url, controlToken }: Pick<LocalSidecar, 'url' | 'controlToken'>): string {
  return `${url}/_/${controlToken === undefined ? '' : `#token=${controlToken}`}`
}
