namespace Pile.Server.Tests.Hostile;

/// <summary>Kinds of frames of HTTP/2 (RFC 9113, section 6).</summary>
internal enum FrameKind : byte
{
    Data = 0,
    Headers = 1,
    Priority = 2,
    Reset = 3,
    Settings = 4,
    PushPromise = 5,
    Ping = 6,
    GoAway = 7,
    WindowUpdate = 8,
    Continuation = 9,
}
