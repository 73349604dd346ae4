export interface BrowserFlagOptions {
  readonly sandbox: boolean
  readonly profileDir: string
  readonly kind: 'shell' | 'chromium'
  readonly webgl?: boolean | undefined
  readonly maxOldSpace?: number | undefined
  readonly extra?: readonly string[] | undefined
}
export function browserFlags({ sandbox, profileDir, extra = [] }: BrowserFlagOptions): string[] {
  return `--headless --remote-debugging-pipe --user-data-dir=${profileDir} --no-first-run --disable-gpu --in-process-gpu --disable-software-rasterizer
--disable-extensions --disable-background-networking --disable-component-update --disable-sync --mute-audio --disable-dev-shm-usage
--disable-breakpad --renderer-process-limit=1 --disable-background-timer-throttling --disable-renderer-backgrounding
--disable-backgrounding-occluded-windows --window-size=320,240`
    .split(/\s+/)
    .concat(sandbox ? [] : ['--no-sandbox', '--no-zygote'], extra, 'about:blank')
}
