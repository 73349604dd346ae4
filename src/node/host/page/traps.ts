import type { ObservePageOptions } from './observe-page.js'

interface Dialog {
  readonly type: string
  readonly message: string
}

interface Frame {
  readonly id: string
  readonly parentId?: string
  readonly url: string
  /** The URL that failed to load, if the browser shows its own error page. */
  readonly unreachableUrl?: string
}

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly url: string
}

const LONGEST = 300

/**
 * Answers dialogs, which would wait for a person, and reports a page that navigates away.
 *
 * @param onWarning the page did something useless on a server; takes what that was, and how the host answered
 */
export async function setTraps(
  { page, browser, targetId, origin, onNavigated, onReloaded }: ObservePageOptions,
  onWarning: (text: string) => void,
): Promise<void> {
  let hasLoaded = false

  page.on<Dialog>('Page.javascriptDialogOpening', ({ type, message }) => {
    // Accepts alerts, and answers questions with no.
    const accept = type === 'alert' || type === 'beforeunload'
    page.send('Page.handleJavaScriptDialog', { accept }).catch(ignore)
    const answer = accept ? 'accepted' : 'cancelled'
    onWarning(`The page opened a dialog, which was ${answer} since nobody is here: ${type} ${quote(message)}`)
  })

  page.on<{ frame: Frame }>('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined || (!hasLoaded && frame.url === 'about:blank')) return
    const url = frame.unreachableUrl ?? frame.url
    const isInside = frame.unreachableUrl === undefined && url.startsWith(`${origin}/`)
    if (!isInside) onNavigated(shorten(url))
    else if (hasLoaded) onReloaded(shorten(url))
    hasLoaded = true
  })

  const closeOther = ({ targetInfo }: { targetInfo: TargetInfo }): void => {
    if (targetInfo.type !== 'page' || targetInfo.targetId === targetId) return
    browser.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(ignore)
    onWarning(
      `The page opened a window, which was closed since nobody sees it: ${shorten(targetInfo.url) || 'about:blank'}`,
    )
  }
  browser.on('Target.targetCreated', closeOther)

  browser.on<{ url: string; suggestedFilename: string }>('Browser.downloadWillBegin', ({ url, suggestedFilename }) => {
    onWarning(`The page began a download, which was refused: ${quote(suggestedFilename)} of ${shorten(url)}`)
  })

  // With the debugger on, a `debugger` statement would pause the page. `Debugger.pause` still works for the stack of a hang.
  page.on('Debugger.paused', () => void page.send('Debugger.resume').catch(ignore))

  await Promise.all([
    page.send('Page.enable'),
    page.send('Debugger.setBreakpointsActive', { active: false }),
    page.send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }).catch(ignore),
    browser.send('Target.setDiscoverTargets', { discover: true }),
    browser.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true }).catch(ignore),
    // Refuses every permission that a page could ask a person for.
    browser.send('Browser.grantPermissions', { permissions: [] }).catch(ignore),
  ])
}

const shorten = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
const quote = (text: string): string => JSON.stringify(shorten(text))
const ignore = (): void => undefined
