export interface SidecarState {
  readonly startedAt: number
}
export interface Effect {
  readonly type: string
}
