// Region: a run of address space obtained from the operating system, without meaning of its own.
// Who maps it unmaps it; nothing here knows what is stored inside.
namespace Pile.Memory;

/// <summary>A mapped run of address space.</summary>
/// <param name="Address">First byte, aligned as asked for when it was mapped.</param>
/// <param name="Bytes">Length in bytes.</param>
/// <param name="Token">What the provider needs to unmap it; meaningless to others.</param>
internal readonly record struct Region(nint Address, long Bytes, nint Token);
