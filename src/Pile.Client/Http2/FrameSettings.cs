// Numbers of settings. RFC 9113, section 6.5.2.
// Those that are not here mean nothing to a client of one stream.
namespace Pile.Client.Http2;

/// <summary>Settings.</summary>
internal static class FrameSettings
{
    internal const ushort TableBytes = 1;
    internal const ushort Push = 2;
    internal const ushort FirstWindow = 4;
    internal const ushort FrameBytes = 5;
}
