import { SidecarError, type SidecarClient } from '../index.js'

/** Why a list or counter isn't in the GameServer, found out by a read; undefined where that says nothing for certain. */
export async function findMissing<Int>(
  client: SidecarClient<Int>,
  kind: 'list' | 'counter',
  name: string,
  capacity = 16,
): Promise<SidecarError | undefined> {
  try {
    await (kind === 'list' ? client.getList(name) : client.getCounter(name))
  } catch (thrown) {
    const { code, summary, hint } = thrown as SidecarError
    if (code === 'NOT_FOUND')
      return new SidecarError(code, `This GameServer has no ${kind} "${name}"`, {
        hint: `Add it to the manifest:\nspec:\n  ${kind}s:\n    ${name}:\n      capacity: ${capacity}`,
      })
    if (!/^(UNA|TIM|CLO)/.test(code)) return new SidecarError(code, summary, { hint })
  }
  return undefined
}
