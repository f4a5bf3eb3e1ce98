// One file of a pile's directory, as an inspection lists it.
// It says nothing of what is in the file.
namespace Pile;

/// <summary>A file of a pile.</summary>
/// <param name="Name">Its name, with the directory below the pile's: <c>extents/00000001</c>.</param>
/// <param name="Kind">What it is for.</param>
/// <param name="Bytes">Its length.</param>
/// <param name="TakenBytes">What it takes on the device: less than its length where it is sparse.</param>
public sealed record PileFile(string Name, PileFileKind Kind, long Bytes, long TakenBytes);
