// What a frame is. Numbers and rules: RFC 9113, section 6.
// PRIORITY and what is unknown is passed over.
namespace Pile.Client.Http2;

/// <summary>Kinds of frames.</summary>
internal enum FrameKind : byte
{
    Data = 0,
    Headers = 1,
    Reset = 3,
    Settings = 4,
    Push = 5,
    Ping = 6,
    GoAway = 7,
    Window = 8,
    Continuation = 9,
}
