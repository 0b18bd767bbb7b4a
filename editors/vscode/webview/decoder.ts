// Takes the place of www/decoder.js: decoders run beside the extension, which reads the files.

declare const zeviewHost: { startDecoder(tell: (message: unknown) => void, fail: (text: string) => void): object };

export async function prepare(): Promise<void> {}

export function start(tell: (message: unknown) => void, fail: (text: string) => void): object {
  return zeviewHost.startDecoder(tell, fail);
}
