export function installChromium(): Promise<void>
export function fallbackChromium(): { path: string; env?: NodeJS.ProcessEnv } | undefined
