export interface BrowserChoice {
  readonly path: string
  readonly kind: 'shell' | 'chromium'
}
export function findBrowser({ browser }: { browser?: string | undefined; env: NodeJS.ProcessEnv }): BrowserChoice {
  return { path: browser ?? '/usr/lib/chromium/chromium-headless-shell', kind: 'shell' }
}
