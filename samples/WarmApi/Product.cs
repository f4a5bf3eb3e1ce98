// What the API answers with.
// An ordinary record: Pile stores it without attributes.
namespace WarmApi;

/// <summary>A product.</summary>
/// <param name="Id">Its number.</param>
/// <param name="Name">Its name.</param>
/// <param name="LoadedBy">Id of the process that has loaded it from the catalogue.</param>
internal sealed record Product(int Id, string Name, int LoadedBy);
