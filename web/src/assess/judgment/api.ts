// Talking to the server. Ids travel as query parameters, since they may contain anything.

import type { ArticleData, Failure, FindData, OperationData, Reply } from "../data";

/** Which judgment of which document a page is about. */
export interface Subject {
  topic: string;
  doc: string;
  /** "adjudicated" or "" for one's own. */
  judge: string;
}

/** An answer that is not what was asked for. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly answer: Failure,
    /** Seconds after which to try again, if the server said so. */
    readonly retryAfter: number | null = null,
  ) {
    super(answer.error);
  }
}

/** No answer at all. */
export class Unreachable extends Error {}

/** How long to wait for an answer, in milliseconds. */
const PATIENCE = 30_000;

export function query(parameters: Record<string, string>): string {
  const filled = Object.entries(parameters).filter(([, value]) => value !== "");
  return new URLSearchParams(filled).toString();
}

export function subjectQuery({ topic, doc, judge }: Subject): string {
  return query({ topic, doc, judge });
}

/** The page on which a document is judged. */
export function articlePage(subject: Subject, doc: string): string {
  const page = subject.judge ? "/adjudicate" : "/article";
  return `${page}?${query({ topic: subject.topic, doc })}`;
}

export function queuePage({ topic, judge }: Subject): string {
  return `/queue?${query({ topic, judge })}`;
}

export async function article(subject: Subject): Promise<ArticleData> {
  return (await asked(`/api/article?${subjectQuery(subject)}`)) as ArticleData;
}

export async function send(subject: Subject, user: string, operations: OperationData[]): Promise<Reply> {
  return (await asked(`/api/operations?${subjectQuery(subject)}`, { user, operations })) as Reply;
}

export async function saveKeywords(topic: string, words: string[]): Promise<void> {
  await asked(`/api/keywords?${query({ topic })}`, { words });
}

export async function find({ topic, judge }: Subject, q: string): Promise<FindData> {
  return (await asked(`/api/find?${query({ topic, judge, q })}`)) as FindData;
}

export async function judgeOutside({ topic, judge }: Subject, doc: string): Promise<void> {
  await asked("/api/outside", { topic, doc, ...(judge && { judge }) });
}

/** Tell the time spent; also while the page is being left. */
export async function tellTime({ topic, doc, judge }: Subject, user: string, seconds: number): Promise<void> {
  const body = { topic, doc, seconds, user, ...(judge && { judge }) };
  await asked("/api/time", body, { keepalive: true });
}

/** End the session, whoever's it is. */
export async function signOut(): Promise<void> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  await fetch("/logout", { method: "POST", headers, body: "", redirect: "manual" }).catch(() => null);
}

async function asked(address: string, body?: unknown, more: RequestInit = {}): Promise<unknown> {
  const options: RequestInit = { credentials: "same-origin", cache: "no-store", redirect: "error", ...more };
  options.signal = AbortSignal.timeout(PATIENCE);
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Unreachable("The server cannot be reached.");
  }
  let answer: unknown;
  try {
    answer = await response.json();
  } catch {
    if (response.ok) throw new Unreachable("The server's answer broke off.");
    answer = { error: `The server answered with status ${response.status}.` };
  }
  if (response.ok) return answer;
  const wait = Number(response.headers.get("Retry-After") ?? NaN);
  throw new ServerError(response.status, answer as Failure, Number.isFinite(wait) ? wait : null);
}
